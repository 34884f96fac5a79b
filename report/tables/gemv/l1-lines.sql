-- What a request for 32 cache lines costs: step 1's `uncoalesced` and step 7's `splitk_atomic`, at whatever pitch rows
-- have. A step of these kernels is one request for 32 lines and one word for all lanes, which is the 1 in "by the rule"
-- (report/l1.py).
-- marker: l1-lines
-- align: llrrrrr
-- recorded: gemv; clocks of 1980 MHz on the multiprocessor with the most blocks; of `splitk_atomic`'s times the one at
-- recorded: 33 × 33, a launch with next to nothing to do, is taken off.
-- part: rows
WITH RECURSIVE lane(l) AS (VALUES (0) UNION ALL SELECT l + 1 FROM lane WHERE l < 31),
     clock(mhz) AS (VALUES (1980)), sm(count) AS (VALUES (132)),
     tiny(launch) AS (SELECT us FROM gemv_row WHERE (variant, op, dtype, n, k, cache, mode) =
                         ('splitk_atomic', 'gemv', 'f16', 33, 33, 'cold', 'graph')),
     row AS (
         SELECT 1 AS place, variant, CASE WHEN m = n AND n = k THEN m || '³' ELSE m || ' × ' || n || ' × ' || k END AS
                shape,
                m AS rows, 4 AS element, 4 * k AS pitch, 1000 * ms_median AS us, ((m + 31) / 32 * ((n + 31) / 32) +
                       count - 1) / count * 32.0 * k AS steps
         FROM gemm JOIN sm WHERE variant = 'uncoalesced' AND m >= 1000 AND k >= 1000 AND n >= 1000 AND (k % 32 > 0 OR
                shape = 'square')
         UNION ALL
         SELECT 2, variant, m || ' × ' || k, m, 2, 2 * k, us - launch, ((m + 31) / 32 + count - 1) / count * 32.0 * ((k
                + 31) / 32)
         FROM (SELECT variant, n AS m, k, us, op, dtype, cache, mode FROM gemv_row) JOIN sm JOIN tiny
         WHERE (variant, op, dtype, cache, mode) = ('splitk_atomic', 'gemv', 'f16', 'cold', 'graph') AND k >= 1000 AND
                m >= 33
               AND k < 1000000 AND (k % 64 > 0 OR m = k)),
     bank AS (SELECT pitch, l * pitch % 128 / 4 AS bank, count(*) AS words FROM (SELECT DISTINCT pitch FROM row) JOIN
            lane
              GROUP BY pitch, l * pitch % 128 / 4),
     full AS (SELECT pitch, max(words) AS words FROM bank GROUP BY pitch)
SELECT '`' || variant || '`' AS "kernel", shape AS "problem", pitch AS "bytes from row to row", pitch % 128 AS
       "modulo 128", words AS "words in the fullest bank", form('%.1f', us * mhz / steps) AS "clocks per step",
       form('%.1f', 1 + l1_clocks(pitch, element, rows)) AS "by the rule"
FROM row JOIN full USING (pitch) JOIN clock
ORDER BY place, words, pitch, us;
