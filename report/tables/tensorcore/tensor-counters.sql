-- What the variants do, as Nsight Compute counted it.
-- marker: tensor-counters STEP
-- align: lrrrrrrrl
-- part: rows
WITH fact AS (
    SELECT v.variant, place,
           sum(CASE metric WHEN 'dram__bytes_read.sum' THEN value END) / 1e9 AS dram,
           sum(CASE metric WHEN 'lts__t_sectors_op_read.sum' THEN value END) / (1e9 / 32) AS l2,
           sum(CASE metric WHEN 'l1tex__data_pipe_lsu_wavefronts_mem_shared.sum' THEN value END) / 1e6 AS wavefronts,
           sum(CASE WHEN metric IN ('l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum',
                                    'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum')
                    THEN value END) / 1e6 AS conflicts,
           sum(CASE metric WHEN 'smsp__issue_active.avg.pct_of_peak_sustained_active' THEN value END) AS issue,
           sum(CASE metric WHEN 'sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active' THEN value END) AS
           pipe, sum(CASE metric WHEN 'sm__warps_active.avg.pct_of_peak_sustained_active' THEN value END) AS warps
    FROM variant AS v LEFT JOIN counter AS c ON (c.step, c.variant) = (v.step, v.variant)
    WHERE v.step = :step AND family = 'tensor' AND v.variant NOT LIKE 'cutlass%'
    GROUP BY v.variant, place)
SELECT '`' || variant || '`' AS variant, form('%.2f', dram) AS "DRAM GB read", form('%.2f', l2) AS "L2 GB read",
       form('%.2f', wavefronts) AS "shared wavefronts, millions", form('%.2f', conflicts) AS "bank conflicts, millions",
       form('%.1f %%', issue) AS "issue slots busy", form('%.1f %%', pipe) AS "tensor pipe",
       form('%.1f %%', warps) AS "warps active",
       (SELECT text FROM largest_stall AS s WHERE s.step = :step AND s.variant = fact.variant) AS
       "largest stall: warps waiting per scheduler"
FROM fact ORDER BY place;
-- part: below
SELECT sub('Counted on ' || max(source) || ' by Nsight Compute: each kernel once, at ' || max(size) ||
                           ', each in the type of the ladder.')
FROM counted WHERE step = :step;
