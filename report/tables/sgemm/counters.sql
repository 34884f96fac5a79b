-- What a step's variants do, as Nsight Compute counted it.
-- marker: counters STEP
-- align: lrrrrrrl
-- part: rows
WITH fact AS (
    SELECT v.variant, place,
           -- op_ld holds the copies of cp.async too: its requests are exactly the sum of both
           sum(CASE metric WHEN 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum' THEN value END) /
           nullif(sum(CASE metric WHEN 'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum' THEN value END), 0) AS sectors,
           sum(CASE metric WHEN 'dram__bytes_read.sum' THEN value END) / 1e9 AS dram,
           sum(CASE WHEN metric IN ('l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum',
                                    'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum')
                    THEN value END) / 1e6 AS conflicts,
           sum(CASE metric WHEN 'smsp__issue_active.avg.pct_of_peak_sustained_active' THEN value END) AS issue,
           sum(CASE metric WHEN 'sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active' THEN value END) AS fma,
           sum(CASE metric WHEN 'sm__warps_active.avg.pct_of_peak_sustained_active' THEN value END) AS warps
    FROM variant AS v LEFT JOIN counter AS c ON (c.step, c.variant) = (v.step, v.variant)
    WHERE v.step = :step AND family <> 'gemv'
    GROUP BY v.variant, place)
SELECT '`' || variant || '`' AS variant, form('%.2f', sectors) AS "sectors per load request", form('%.2f', dram) AS
       "DRAM GB read", form('%.2f', conflicts) AS "shared bank conflicts, millions", form('%.1f %%', issue) AS
       "issue slots busy", form('%.1f %%', fma) AS "FMA pipe", form('%.1f %%', warps) AS "warps active",
       (SELECT text FROM largest_stall AS s WHERE s.step = :step AND s.variant = fact.variant) AS
       "largest stall: warps waiting per scheduler"
FROM fact ORDER BY place;
-- part: below
SELECT sub('Counted on ' || max(source) || ' by Nsight Compute: each kernel once, at ' || max(size) || '.')
FROM counted WHERE step = :step;
