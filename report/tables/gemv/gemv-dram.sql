-- The bytes that a launch reads from DRAM: does it find its matrix outside the caches?
-- marker: gemv-dram STEP
-- align: lrlr
-- part: rows
SELECT '`' || variant || '`' AS variant, n || ' × ' || k AS "n × k", dtype AS type,
       significant(matrix_bytes / 1e6, 4) AS "A, MB",
       form('%s (%s..%s)', significant(dram_bytes_median / 1e6, 4), significant(dram_bytes_min / 1e6, 4),
            significant(dram_bytes_max / 1e6, 4)) AS "read from DRAM per launch, MB: median (min..max)",
       percent(share_median) AS "% of A: median", percent(share_min) AS "least"
FROM (SELECT min(rowid) AS first, max(rowid) AS last FROM gemv_dram WHERE step = :step GROUP BY variant, dtype, n, k)
JOIN gemv_dram ON gemv_dram.rowid = last
ORDER BY first;
-- part: below
SELECT sub('Counted on ' || (SELECT text FROM source WHERE kind = 'gemv_dram') || '; by Nsight Compute without ' ||
           'flushing, ' || CASE WHEN min(launches) = max(launches) THEN max(launches)
                                ELSE min(launches) || ' to ' || max(launches) END ||
           ' launches each, on rotated operands.')
FROM (SELECT max(rowid), launches FROM gemv_dram WHERE step = :step GROUP BY variant, dtype, n, k);
