-- What the notes' values are looked up in, <!-- value: VIEW KEY... FIELD -->: a view each, whose first columns are its
-- keys (values.py: KEYS) and whose other columns are fields. `speed` is there for quotients of two rows.

CREATE VIEW value_gemm AS
SELECT *, 100 * ratio AS percent, 100 * peak_share AS peak_percent, 1 / ms_median AS speed FROM gemm;

CREATE VIEW value_sass AS SELECT * FROM sass;
CREATE VIEW value_loop AS SELECT variant AS name, * FROM sass; -- of what is no rung

CREATE VIEW value_counter AS SELECT step, variant, metric, value FROM counter;

CREATE VIEW value_waiting AS SELECT step, variant, reason, warps FROM waiting;

CREATE VIEW value_gemv AS -- of cuBLAS and the ceiling there are no chains: they stand beside ours as single ones
SELECT step, name AS variant, n, k, dtype, mode, cache, op, us, us / 1000 AS ms_median, gbps, ratio, 1 / us AS speed,
       100 * ratio AS percent, 100 * peak_share AS peak_percent, 100 * ceiling_share AS ceiling_percent
FROM gemv_all;

CREATE VIEW value_tensor AS -- clock_peak: what Hopper's tensor cores could do in f16 at the clock recorded with the row
SELECT *, 100 * ratio AS percent, 100 * peak_share AS peak_percent, 100 * clock_share AS clock_percent,
       1000 * ms_median AS us, 1 / ms_median AS speed
FROM (SELECT *, tflops / clock_peak AS clock_share
      FROM (SELECT step, variant, m, n, k, dtype, layout, load, ms_median, ms_min, ms_max, 2.0 * m * n * k / ms_median
             / 1e9 AS tflops,
                   baseline_ms, ratio, ratio_min, ratio_max, peak_share, peak, max_err_bound_share, clock_mhz, power_w,
                   CASE WHEN dtype IN ('f16', 'bf16') AND cc = '9.0' THEN sms * 4096 * clock_mhz / 1e6 END AS clock_peak
            FROM tensor LEFT JOIN devices ON name = device
            UNION ALL
            SELECT step, 'cublas', m, n, k, dtype, layout, load, ms, NULL, NULL, tflops, NULL, NULL, NULL, NULL,
                   NULL, NULL, NULL, NULL, NULL, NULL
            FROM tensor_baseline));

CREATE VIEW value_limit AS SELECT step, tflops, clock FROM tensor_limit; -- the power-limited peak of f16

CREATE VIEW value_ceiling AS -- of --show limits; tflops: all SMs at the clock that it ran at
SELECT *, 100 * rate / peak AS percent, rate * sms * clock_mhz / 1e6 AS tflops
FROM limits LEFT JOIN (SELECT name AS device, sms FROM devices) USING (device);

CREATE VIEW value_latency AS SELECT replace(memory, ' ', '_') AS memory, clocks_median AS clocks, ns_median AS ns
FROM latency;

CREATE VIEW value_knn AS -- 1200 queries
SELECT variant, n, d, k, how, ms_median AS ms, 1 / ms_median AS speed FROM knn_case;

CREATE VIEW value_ranks AS -- of m queries among n points by R ranks, the last row recorded; speed: over one rank
WITH shown AS (SELECT max(rowid), * FROM knn_ranks GROUP BY m, n, d, ranks, divide)
SELECT a.m, a.n, a.d, a.ranks, a.divide, a.ms_median AS ms, a.merge_ms AS merged, a.devices,
       b.ms_median / a.ms_median AS speed
FROM shown AS a LEFT JOIN shown AS b ON (b.m, b.n, b.d, b.ranks) = (a.m, a.n, a.d, 1);

CREATE VIEW value_conv AS -- VARIANT: also cudnn
SELECT *, 100 * ratio AS percent, 100 * peak_share AS peak_percent, 1 / us AS speed
FROM (SELECT step, variant, layer, dtype, sides AS layout, us, ms_median, ms_min, ms_max, tflops, gbps, ratio,
             ratio_min, ratio_max, peak_share, max_err_bound_share, baseline, baseline_call, clock_mhz, power_w
      FROM conv_row
      UNION ALL
      SELECT step, 'cudnn', layer, dtype, sides, us, us / 1000, NULL, NULL, tflops, NULL, NULL, NULL, NULL, NULL, NULL,
             NULL, NULL, NULL, NULL
      FROM conv_baseline);

-- How a variant's ratios to the library lie in a set of shapes or types, so that no sentence outlives the rows that it
-- sums up: faster counts where all of the ratio's interval is above 1, slower where it is below.
CREATE VIEW value_claim AS
SELECT step, variant, "set",
       CASE WHEN sum(low > 1) = count(*) THEN 'faster than ' || library || ' at every ' || one
            WHEN sum(high < 1) = count(*) THEN 'slower than ' || library || ' at every ' || one
            WHEN sum(low > 1) = 0 THEN 'at best as fast as ' || library || ' at the ' || one || 's'
            ELSE 'faster than ' || library || ' at ' || sum(low > 1) || ' of the ' || count(*) || ' ' || one || 's'
                END ||
       ' recorded here' AS claim, form('%.2f', min(ratio)) || CASE WHEN form('%.2f', min(ratio)) = form('%.2f',
           max(ratio)) THEN ''
                                        ELSE ' to ' || form('%.2f', max(ratio)) END AS span
FROM (SELECT *, coalesce(ratio_low, ratio) AS low, coalesce(ratio_high, ratio) AS high
      FROM (SELECT step, variant, shape AS "set", ratio, ratio_low, ratio_high, 'cuBLAS' AS library, 'size' AS one
            FROM gemm
            UNION ALL
            SELECT step, variant, dtype || '-' || sides, ratio, ratio_low, ratio_high, 'cuDNN''s direct engines',
                'layer'
            FROM conv_row
            UNION ALL
            SELECT step, variant, dtype, ratio, ratio_low, ratio_high, 'cuBLAS', 'size' FROM tensor
            WHERE layout = 'tn' AND load = 'burst' AND m = n AND n = k AND m IN (SELECT side FROM tensor_side)
            UNION ALL
            SELECT step, variant, choice, ratio, ratio_low, ratio_high, 'cuBLAS', 'size' FROM gemv_row
            JOIN (SELECT 'all' AS choice UNION SELECT DISTINCT dtype FROM gemv_row) ON choice IN ('all', dtype)
            WHERE op = 'gemv' AND cache = 'cold' AND mode = 'graph')
      WHERE ratio IS NOT NULL)
GROUP BY step, variant, "set";
