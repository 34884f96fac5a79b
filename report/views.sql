-- The building blocks of tables and figures: which recorded rows are shown, and what is computed from them. Each
-- recorded file is a table (schema.py lists their columns); line is a row's line in its file.
--
-- When a case was measured more than once, the last measurement counts: "SELECT max(line), * ... GROUP BY case", where
-- SQLite takes all other columns from the row with the maximum. What many queries read is a table instead of a view.
-- Functions that SQLite does not have (percent, speed, median, ...) are defined in text.py.

-- ---- the rows that are shown; the simulator's have no times and never are ----

CREATE VIEW gemm_shown AS -- FP32: C = A*B, caches cold, no continuous load
SELECT rowid + 1 AS line, * FROM sgemm
WHERE op = 'gemm' AND dtype = 'f32' AND mode NOT IN ('sim', 'sustained') AND d IS NULL AND alpha = 1 AND beta = 0
  AND cache = 'cold' AND ms_median > 0;

CREATE VIEW tensor_shown AS -- C = A*B; `load`: burst and sustained, caches cold, or a chain, which is warm
SELECT rowid + 1 AS line, *, CASE WHEN mode IN ('sustained', 'chain') THEN mode ELSE 'burst' END AS load FROM tensorcore
WHERE op = 'gemm' AND ms_median > 0 AND alpha = 1 AND beta = 0 AND (cache = 'cold' OR mode = 'chain');

-- GEMVs launched back to back (chain, chain_pdl) are in files of version 0.10.0 alone: the same as warm ones in graphs.
CREATE VIEW gemv_shown AS -- y = A*x, the read ceiling, and chains of dependent ones (whose alpha is their own)
SELECT rowid + 1 AS line, * FROM gemv
WHERE ms_median > 0 AND mode NOT IN ('chain', 'chain_pdl') AND
      (op = 'gemv_chain' OR op IN ('gemv', 'read') AND alpha = 1 AND beta = 0);

CREATE VIEW search_shown AS -- the autotuner's
SELECT rowid + 1 AS line, * FROM gemv_search WHERE us > 0 AND mode NOT IN ('chain', 'chain_pdl');

CREATE VIEW knn_shown AS -- 1200 queries, or beside PyTorch; `how`: device, transfers (copies from and to the host), cpu
SELECT rowid + 1 AS line, *, coalesce(baseline LIKE 'torch %', 0) AS beside_torch,
       CASE WHEN mode = 'cpu' OR mode LIKE 'transfers%' THEN mode ELSE 'device' END AS how
FROM knn WHERE op = 'knn' AND ms_median > 0 AND (m = 1200 OR baseline LIKE 'torch %');

CREATE VIEW conv_shown AS -- y = conv(x, f); `sides` is the layout's name alone
SELECT rowid + 1 AS line, *, substr(layout, 1, 4) AS sides, layer(layout, n) AS layer FROM conv
WHERE op = 'conv' AND ms_median > 0 AND mode NOT IN ('sim', 'sustained') AND cache = 'cold' AND alpha = 1 AND beta = 0
  AND layout NOT LIKE '% bias';

-- ---- the ladders: every variant of every step in the order they are read ----

-- Variants that no step.c names come last, in the order of the file.
CREATE TABLE variant AS
SELECT family, step, short_step(step) AS short, variant, min(place) AS place
FROM (SELECT family, step, variant, rowid AS place FROM ladder
      UNION ALL
      SELECT 'gemm', step, variant, 1000000 + line FROM gemm_shown
      UNION ALL
      SELECT 'tensor', step, variant, 1000000 + line FROM tensor_shown
      UNION ALL
      SELECT 'gemv', step, variant, 1000000 + line FROM gemv_shown WHERE op <> 'read'
      UNION ALL
      SELECT 'gemv', step, variant, 2000000 + line FROM search_shown
      UNION ALL
      SELECT 'conv', step, variant, 1000000 + line FROM conv_shown)
GROUP BY family, step, variant;

CREATE VIEW gemm_step AS SELECT DISTINCT step, short FROM variant WHERE family = 'gemm';

-- ---- FP32 GEMM ----

CREATE TABLE gemm AS
SELECT max(line), *,
       CASE WHEN gflops > 0 THEN gflops / 1000 ELSE 2.0 * m * n * k / ms_median / 1e9 END AS tflops,
       CASE WHEN m = n AND n = k AND m >= 256 THEN 'square'
            WHEN m = n AND k = 1024 AND m IN (2048, 4096, 8192, 16384) THEN 'article'
            ELSE 'odd' END AS shape
FROM gemm_shown
GROUP BY step, variant, m, n, k;

-- As cells of a table.
CREATE VIEW gemm_text AS
SELECT step, variant, m, n, k, tflops AS speed, significant(ms_median, 4) AS ms, speed(tflops) AS tflops,
       percent(peak_share) AS peak, form('%.3f (%.3f..%.3f)', ratio, ratio_min, ratio_max) AS ratio,
       speed(tflops) || coalesce(form(' (%.2f)', ratio), '') AS short
FROM gemm;

-- The baseline at a shape: the median over all variants' runs.
CREATE TABLE gemm_baseline AS
SELECT m, n, k, ms, 2.0 * m * n * k / ms / 1e9 AS tflops
FROM (SELECT m, n, k, median(baseline_ms) AS ms FROM gemm WHERE baseline_ms > 0 GROUP BY m, n, k);

-- Each step's best variant: the fastest at 4096^3, or at the largest square measured, or the largest shape.
CREATE TABLE best AS
SELECT step, variant
FROM (SELECT gemm.step, gemm.variant, row_number() OVER (
                 PARTITION BY gemm.step
                 ORDER BY m = 4096 AND n = 4096 AND k = 4096 DESC, shape = 'square' DESC, m * n * k DESC, m DESC,
                          n DESC, tflops DESC, place) AS rank
      FROM gemm JOIN variant ON family = 'gemm' AND variant.step = gemm.step AND variant.variant = gemm.variant)
WHERE rank = 1;

-- ---- GEMV ----

CREATE TABLE gemv_row AS
SELECT max(line), *, 1000 * ms_median AS us FROM gemv_shown
GROUP BY op, step, variant, dtype, n, k, cache, mode;

-- How fast this GPU reads: measured with the same launches or, for programmatic dependent launch, with plain ones.
CREATE TABLE gemv_ceiling AS
WITH own AS (SELECT * FROM gemv_row WHERE op = 'read' AND variant = 'read_ceiling')
SELECT step, dtype, n, k, cache, mode, us, gbps, ratio, ratio_min, ratio_max, peak_share, line FROM own
UNION ALL
SELECT step, dtype, n, k, cache, 'pdl', us, gbps, ratio, ratio_min, ratio_max, peak_share, line FROM own
WHERE mode = 'graph' AND (step, dtype, n, k, cache) NOT IN (
    SELECT step, dtype, n, k, cache FROM own WHERE mode = 'pdl');

-- cuBLAS: the median over the variants' runs. Bytes: A, x and y once each.
CREATE TABLE gemv_cublas AS
SELECT *, (n * k + n + k) * CASE dtype WHEN 'f32' THEN 4 ELSE 2 END / us / 1000 AS gbps
FROM (SELECT step, dtype, n, k, cache, mode, median(1000 * baseline_ms) AS us
      FROM gemv_row WHERE op = 'gemv' AND variant <> 'cublas' AND baseline_ms > 0
      GROUP BY step, dtype, n, k, cache, mode);

-- Everything that was timed, with its share of the ceiling; `name` is a variant, cublas or read_ceiling.
CREATE TABLE gemv_all AS
SELECT r.name, r.op, r.step, r.dtype, r.n, r.k, r.cache, r.mode, r.us, r.gbps, r.ratio, r.ratio_min, r.ratio_max,
       r.peak_share, r.line, CASE WHEN r.gbps > 0 THEN r.gbps / c.gbps END AS ceiling_share
FROM (SELECT variant AS name, op, step, dtype, n, k, cache, mode, us, gbps, ratio, ratio_min, ratio_max, peak_share,
       line
      FROM gemv_row WHERE op <> 'read'
      UNION ALL
      SELECT 'read_ceiling', 'gemv', step, dtype, n, k, cache, mode, us, gbps, ratio, ratio_min, ratio_max, peak_share,
             line
      FROM gemv_ceiling
      UNION ALL
      SELECT 'cublas', 'gemv', step, dtype, n, k, cache, mode, us, gbps, NULL, NULL, NULL, NULL, NULL
      FROM gemv_cublas) AS r
LEFT JOIN gemv_ceiling AS c ON (c.step, c.dtype, c.n, c.k, c.cache, c.mode) = (r.step, r.dtype, r.n, r.k, r.cache,
       r.mode);

CREATE INDEX gemv_case ON gemv_all (name, n, k);

CREATE VIEW gemv_text AS
SELECT name, op, step, dtype, n, k, cache, mode, microseconds(us) AS us, form('%.0f', gbps) AS gbps,
       percent(ceiling_share) AS ceiling, form('%.3f (%.3f..%.3f)', ratio, ratio_min, ratio_max) AS ratio,
       ratio AS plain_ratio
FROM gemv_all;

-- The autotuner's last search for each problem, in the order of the file: it begins where the candidate that was tried
-- first was tried last.
CREATE TABLE candidate AS
WITH tried AS (
         SELECT line AS row, step, variant, dtype, n, k, cache, mode, candidate, us,
                first_value(line) OVER problem AS search, first_value(candidate) OVER problem AS first
         FROM search_shown
         WINDOW problem AS (PARTITION BY step, variant, dtype, n, k, cache, mode ORDER BY line)),
     begun AS (SELECT search, max(row) AS beginning FROM tried WHERE candidate = first GROUP BY search)
SELECT tried.* FROM tried JOIN begun USING (search) WHERE row >= beginning;

-- ---- GEMM on tensor cores ----

CREATE TABLE tensor AS
SELECT max(line), *, gflops / 1000 AS tflops,
       CASE WHEN peak_share > 0 THEN gflops / 1000 / peak_share END AS peak,
       variant = 'best' AS stands -- for its type
FROM tensor_shown
GROUP BY step, variant, dtype, layout, m, n, k, load;

CREATE VIEW tensor_variant AS -- with the type and the layout that each stands for on the ladder
SELECT v.step, v.variant, place, dtype, coalesce(layout, 'tn') AS layout
FROM variant AS v LEFT JOIN ladder AS l ON (l.step, l.variant) = (v.step, v.variant)
WHERE v.family = 'tensor';

-- cuBLAS: as it ran beside the variant that stands for the type, at the same clock; where that is missing, the median
-- over the other variants' runs.
CREATE TABLE tensor_baseline AS
SELECT *, 2.0 * m * n * k / ms / 1e9 AS tflops
FROM (SELECT step, dtype, layout, m, n, k, load,
             coalesce(max(CASE WHEN stands THEN baseline_ms END), median(baseline_ms)) AS ms
      FROM tensor WHERE baseline_ms > 0
      GROUP BY step, dtype, layout, m, n, k, load);

CREATE VIEW tensor_text AS
SELECT step, variant, dtype, layout, m, n, k, load, significant(ms_median, 4) AS ms, fast_speed(tflops) AS tflops,
       percent(peak_share) AS peak, form('%.3f (%.3f..%.3f)', ratio, ratio_min, ratio_max) AS ratio,
       fast_speed(tflops) || coalesce(form(' (%.2f)', ratio), '') AS short,
       form('%.0f', clock_mhz) AS clock, form('%.0f', power_w) AS power, form('%.3f', ratio) AS plain_ratio
FROM tensor;

-- The power-limited peak of f16: what the tensor cores could do at the clock that the GPU keeps under continuous load,
-- which on Hopper is 4096 FLOP per clock and multiprocessor; of a GPU that devices.csv does not know, the type's peak *
-- that clock / the highest clock recorded. Of others that it knows there is none: their peak is the data sheet's, at a
-- clock of its own. The clock is that of best's sustained run at 4096^3, or where that is missing at 8192^3 or 16384^3.
CREATE VIEW tensor_limit AS
SELECT step, m AS side, clock_mhz AS clock,
       CASE WHEN name IS NULL THEN peak * clock_mhz / (SELECT max(clock_mhz) FROM tensor_shown)
            ELSE sms * 4096 * clock_mhz / 1e6 END AS tflops
FROM tensor LEFT JOIN devices ON name = device
WHERE (name IS NULL OR cc = '9.0') AND variant = 'best' AND dtype = 'f16' AND layout = 'tn' AND load = 'sustained'
  AND m = n AND n = k AND m IN (4096, 8192, 16384) AND peak IS NOT NULL AND clock_mhz > 0
ORDER BY m LIMIT 1;

-- The sides of the squares that tables and figures show.
CREATE TABLE tensor_side AS
SELECT column1 AS side FROM (VALUES (1024), (2048), (4096), (8192), (16384));

-- ---- GEMM at shapes drawn at random ----

CREATE VIEW random_shown AS
SELECT rowid + 1 AS line, * FROM random
WHERE op IN ('gemm', 'conv') AND variant = 'best' AND mode NOT IN ('sim', 'sustained') AND cache = 'cold'
  AND alpha = 1 AND beta = 0 AND ratio > 0 AND baseline <> 'cudnn transformed';

-- Every shape of every set, recorded or not.
CREATE TABLE random_row AS
SELECT max(line), s.rowid AS place, s.*, 2.0 * m * n * k AS flops, ratio, older
FROM random_shapes AS s
LEFT JOIN (SELECT short_step(step) AS step, dtype, layout, m, n, k, line, ratio, older FROM random_shown)
     USING (step, dtype, layout, m, n, k)
GROUP BY s.rowid;

-- ---- convolutions ----

CREATE TABLE conv_row AS
SELECT max(line), *, 1000 * ms_median AS us, gflops / 1000 AS tflops FROM conv_shown
WHERE coalesce(baseline, '') <> 'cudnn transformed' GROUP BY step, variant, dtype, sides, layer;

CREATE INDEX conv_case ON conv_row (step, variant, dtype, sides, layer);

-- The baseline at a layer: the median over the variants' runs.
CREATE TABLE conv_baseline AS
SELECT *, flops / us / 1e6 AS tflops
FROM (SELECT step, dtype, sides, layer, median(1000 * baseline_ms) AS us, max(2.0 * m * n * k) AS flops FROM conv_row
      WHERE baseline_ms > 0 GROUP BY step, dtype, sides, layer);

-- The fastest that goes by Winograd or FFT, likewise.
CREATE TABLE conv_transformed AS
SELECT *, flops / us / 1e6 AS tflops
FROM (SELECT step, dtype, sides, layer, median(1000 * baseline_ms) AS us, max(2.0 * m * n * k) AS flops FROM conv_shown
      WHERE baseline = 'cudnn transformed' AND baseline_ms > 0 GROUP BY step, dtype, sides, layer);

-- The layers that the ladder's table and figure show.
CREATE TABLE conv_chosen AS
SELECT column1 AS place, column2 AS layer
FROM (VALUES (1, '64-3-224-224-64-7-7-2'), (2, '64-64-56-56-64-3-3-1'), (3, '64-64-56-56-256-1-1-1'),
             (4, '64-128-28-28-128-3-3-1'), (5, '64-256-14-14-256-3-3-1'), (6, '64-512-7-7-512-3-3-1'),
             (7, '64-96-27-27-256-5-5-1'), (8, '1-128-28-28-128-3-3-1'));

-- ---- which of the library's calls was the baseline ----

CREATE VIEW baseline_used AS
SELECT 'sgemm' AS ladder, CASE shape WHEN 'square' THEN 1 WHEN 'article' THEN 2 ELSE 3 END AS place, m AS a, n AS b,
       CASE shape WHEN 'square' THEN m || '³' ELSE m || ' × ' || n || ' × ' || k END AS problem, baseline_call AS call,
       calls_tried AS tried, calls_failed AS failed, calls_wrong AS wrong
FROM gemm WHERE baseline_call IS NOT NULL
UNION ALL
SELECT 'tensorcore', CASE WHEN m = n AND n = k THEN 1 ELSE 2 END, dtype || ' ' || layout, m,
       dtype || ' ' || layout || ', ' || CASE WHEN m = n AND n = k THEN m || '³' ELSE m || ' × ' || n || ' × ' || k END,
       baseline_call, calls_tried, calls_failed, calls_wrong
FROM tensor WHERE baseline_call IS NOT NULL AND load = 'burst'
UNION ALL
SELECT 'gemv', CASE dtype WHEN 'f16' THEN 1 WHEN 'bf16' THEN 2 ELSE 3 END, n * k, n, dtype || ', ' || n || ' × ' || k,
       baseline_call, calls_tried, calls_failed, calls_wrong
FROM gemv_row WHERE baseline_call IS NOT NULL AND op = 'gemv' AND cache = 'cold' AND mode = 'graph'
UNION ALL
SELECT 'conv', 1, dtype || ' ' || sides, m * n * k, dtype || ' ' || sides || ', ' || layer, baseline_call, calls_tried,
       calls_failed, calls_wrong
FROM conv_row WHERE baseline_call IS NOT NULL;

-- ---- nearest neighbours ----

CREATE TABLE knn_case AS
SELECT max(line), * FROM knn_shown WHERE NOT beside_torch GROUP BY variant, n, d, k, how;

CREATE INDEX knn_case_index ON knn_case (variant, n, d, k, how);

-- What was timed alternately with PyTorch is kept apart.
CREATE TABLE knn_torch AS
SELECT max(line), * FROM knn_shown WHERE beside_torch GROUP BY m, n, d, k, variant;

-- Prepared points: so many queries at once; and beside what else there is.
CREATE VIEW knn_at_once AS
SELECT max(rowid), * FROM knn_peers WHERE variant = 'best' AND baseline IS NULL AND mode <> 'sim' AND ms_median > 0
GROUP BY m, n, d, k;

CREATE VIEW knn_peer AS
SELECT max(rowid), m, n, d, k, coalesce(baseline, variant) AS name,
       CASE mode WHEN 'cpu' THEN ms_median ELSE baseline_ms END AS ms
FROM knn_peers WHERE baseline IS NOT NULL OR mode = 'cpu'
GROUP BY m, n, d, k, CASE WHEN mode = 'cpu' THEN variant ELSE substr(baseline, 1, 5) || substr(baseline, -4) END;

-- The first k from which on bitonic takes no longer than kpass, of two k next to one another: n = 16384, d = 32.
CREATE VIEW knn_crossover AS
WITH pair AS (
    SELECT a.k, a.ms_median AS kpass, b.ms_median AS bitonic
    FROM knn_case AS a LEFT JOIN knn_case AS b
         ON (b.variant, b.n, b.d, b.k, b.how) = ('direct+bitonic', a.n, a.d, a.k, a.how)
    WHERE a.variant = 'direct+kpass' AND a.n = 16384 AND a.d = 32 AND a.how = 'device' AND a.k <= 512)
SELECT next.k, next.kpass AS ms
FROM pair AS last JOIN pair AS next ON next.k = last.k + 1
WHERE last.kpass < last.bitonic AND NOT coalesce(next.kpass < next.bitonic, 0)
ORDER BY next.k LIMIT 1;

-- KDD Cup 1999: means, least and greatest over the samples. Of two rows of one sample the first counts.
CREATE TABLE rate AS
SELECT protocol, class, method, k, count(*) AS seeds, mean(detection) AS detection, min(detection) AS detection_least,
       max(detection) AS detection_most, mean(false_alarms) AS false_alarms, min(false_alarms) AS false_alarms_least,
       max(false_alarms) AS false_alarms_most, sum(neighbours_unlike_cpu) AS unlike
FROM (SELECT min(rowid), * FROM knn_rates GROUP BY protocol, class, method, k, seed ORDER BY min(rowid))
GROUP BY protocol, class, method, k;

CREATE VIEW rate_count AS -- how many records of each sort a sample has
SELECT max(line), * FROM (SELECT min(rowid) AS line, * FROM knn_rates GROUP BY protocol, class, method, k, seed)
GROUP BY protocol, class;

-- The exact method: there is one a device.
CREATE VIEW rate_method AS
SELECT min(method) AS method FROM rate WHERE method NOT LIKE 'gemm\_%' ESCAPE '\';

-- ---- counters and machine code ----

CREATE TABLE counter AS
SELECT max(rowid) AS line, step, variant, metric, value FROM counters GROUP BY step, variant, metric;

CREATE INDEX counter_index ON counter (step, variant, metric);

-- How many warps of a scheduler wait for each reason, on average: Nsight Compute's ratio, warps waiting for each
-- instruction issued, times the share of clocks in which one is.
CREATE VIEW waiting AS
SELECT c.step, c.variant, substr(c.metric, length('smsp__average_warps_issue_stalled_') + 1,
                                 instr(c.metric, '_per_issue_active') - length('smsp__average_warps_issue_stalled_') -
                                        1)
                          AS reason, c.value * busy.value / 100 AS warps
FROM counter AS c
JOIN counter AS busy ON (busy.step, busy.variant, busy.metric) =
                        (c.step, c.variant, 'smsp__issue_active.avg.pct_of_peak_sustained_active')
WHERE c.metric LIKE 'smsp\_\_average\_warps\_issue\_stalled\_%' ESCAPE '\' AND c.value IS NOT NULL;

-- What most of a variant's warps wait for.
CREATE VIEW largest_stall AS
SELECT step, variant, reason || form(' (%.2f)', warps) AS text
FROM (SELECT *, row_number() OVER (PARTITION BY step, variant ORDER BY warps DESC, reason) AS rank FROM waiting)
WHERE rank = 1;

CREATE VIEW counter_fact AS -- what the tables of counters show of a variant
SELECT v.step, v.variant, family, place,
       -- op_ld holds the copies of cp.async too: its requests are exactly the sum of both
       sum(CASE metric WHEN 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum' THEN value END) /
       nullif(sum(CASE metric WHEN 'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum' THEN value END), 0) AS sectors,
       sum(CASE metric WHEN 'dram__bytes_read.sum' THEN value END) / 1e9 AS dram,
       sum(CASE metric WHEN 'lts__t_sectors_op_read.sum' THEN value END) / (1e9 / 32) AS l2,
       sum(CASE metric WHEN 'l1tex__data_pipe_lsu_wavefronts_mem_shared.sum' THEN value END) / 1e6 AS wavefronts,
       sum(CASE WHEN metric IN ('l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum',
                                'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum')
                THEN value END) / 1e6 AS conflicts,
       sum(CASE metric WHEN 'smsp__issue_active.avg.pct_of_peak_sustained_active' THEN value END) AS issue,
       sum(CASE metric WHEN 'sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active' THEN value END) AS fma,
       sum(CASE metric WHEN 'sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active' THEN value END) AS pipe,
       sum(CASE metric WHEN 'sm__warps_active.avg.pct_of_peak_sustained_active' THEN value END) AS warps
FROM variant AS v LEFT JOIN counter AS c ON (c.step, c.variant) = (v.step, v.variant)
GROUP BY v.step, v.variant, place;

CREATE VIEW counted AS -- where and at which size a step's counters were counted
SELECT step, (SELECT text FROM source WHERE kind = 'counters') AS source, m || ' × ' || n || ' × ' || k AS size
FROM (SELECT max(rowid), * FROM counters GROUP BY step);

-- ---- where it was measured ----

CREATE TABLE measured AS -- the rows that are shown: of which device, from which line of which file
SELECT 'gemm' AS kind, 'sgemm' AS file, line, device, driver, cuda, date FROM gemm_shown
UNION ALL
SELECT kind, kind, line, device, driver, cuda, date FROM whole
UNION ALL
SELECT 'gemv', 'gemv', line, device, driver, cuda, date FROM gemv_shown
UNION ALL
SELECT 'search', 'gemv_search', line, device, driver, cuda, date FROM search_shown
UNION ALL
SELECT 'knn_peers', 'knn_peers', rowid + 1, device, driver, cuda, date FROM knn_peers WHERE mode <> 'cpu'
UNION ALL
SELECT 'tensor', 'tensorcore', line, device, driver, cuda, date FROM tensor_shown
UNION ALL
SELECT 'random', 'random', line, device, driver, cuda, date FROM random_shown
UNION ALL
SELECT CASE WHEN beside_torch THEN 'knn_torch' WHEN how = 'cpu' THEN 'knn_cpu' ELSE 'knn' END, 'knn', line,
       CASE WHEN how = 'cpu' AND NOT beside_torch THEN without_threads(device) ELSE device END, driver, cuda, date
FROM knn_shown
UNION ALL
SELECT 'conv', 'conv', line, device, driver, cuda, date FROM conv_shown
UNION ALL
SELECT 'error', 'tensorcore_error', rowid + 1, device, driver, cuda, date FROM tensorcore_error
WHERE device NOT LIKE '%simulated%';

CREATE TABLE source AS
SELECT kind, device, device || coalesce(', driver ' || replace(group_concat(DISTINCT driver), ',', ', '), '') ||
       coalesce(', CUDA ' || replace(group_concat(DISTINCT cuda), ',', ', '), '') || coalesce(', ' || min(day), '') ||
       CASE WHEN min(day) < max(day) THEN ' to ' || max(day) ELSE '' END AS text
FROM (SELECT *, substr(date, 1, 10) AS day
      FROM (SELECT * FROM measured
            UNION ALL
            SELECT 'knn_all', file, line, device, driver, cuda, date FROM measured WHERE kind IN ('knn', 'knn_torch'))
      ORDER BY kind, line)
GROUP BY kind;

CREATE VIEW other_device AS -- rows of a second device: a file has one
SELECT kind, file, line, device, first
FROM measured JOIN (SELECT kind AS of, device AS first, min(line) FROM measured GROUP BY kind) ON of = kind
WHERE device <> first;

-- For the headings of FP32's tables and the line below them.
CREATE TABLE gemm_about AS
SELECT (SELECT text FROM source WHERE kind = 'gemm') AS source,
       (SELECT device FROM source WHERE kind = 'gemm') AS device,
       (SELECT CASE WHEN baseline LIKE 'cublas%' THEN 'cuBLAS' WHEN baseline = 'openblas' THEN 'OpenBLAS'
                    ELSE baseline END
        FROM gemm_shown WHERE baseline IS NOT NULL ORDER BY line DESC LIMIT 1) AS baseline,
       (SELECT gflops / peak_share / 1000 FROM gemm_shown WHERE peak_share > 0 ORDER BY line LIMIT 1) AS peak;

CREATE VIEW gemm_source AS -- the line below a table, and what it is compared with
SELECT coalesce(baseline, 'cuBLAS') AS against,
       sub('Recorded on ' || source || '; cold L2, medians' ||
           CASE WHEN baseline IS NULL THEN '' ELSE ', ratios pair by pair' END || '.') AS line
FROM gemm_about;
