-- The autotuner's searches at three sizes; not the candidates for rows that are short or lie otherwise.
-- part: candidates
SELECT n, candidate, us, threads, block_n, in_flight,
       CASE WHEN candidate LIKE '% persistent' THEN 1 WHEN candidate LIKE '% split' THEN 2 ELSE 0 END AS kind
FROM candidate
WHERE variant = 'best' AND dtype = 'f16' AND n = k AND n IN (1024, 4096, 16384) AND (cache, mode) = ('cold', 'graph')
  AND candidate NOT LIKE '% unaligned' AND candidate NOT LIKE '% short'
ORDER BY n, row;
-- part: winners
SELECT n, candidate, us
FROM (SELECT *, row_number() OVER (PARTITION BY search ORDER BY us, row) AS rank FROM candidate
      WHERE variant = 'best' AND dtype = 'f16' AND n = k AND n IN (1024, 4096, 16384)
        AND (cache, mode) = ('cold', 'graph'))
WHERE rank = 1 ORDER BY n;
