-- Loops of nothing but FFMAs: what ptxas makes of the order of the source, and how long an FFMA takes.
-- marker: ffma-orders
-- align: llr
-- part: rows
WITH tile(place, tile) AS (VALUES (1, '8x8'), (2, '16x8'), (3, '8x16')),
     ordered(rank, word, text) AS (VALUES (1, 'rows', 'rows'), (2, 'serpentine', 'serpentine along rows'),
                                          (3, 'columns', 'serpentine along columns'), (4, 'strips',
                                              'strips of two rows')),
     line(place, rank, tile, text, name) AS (
         SELECT place, rank, replace(tile, 'x', ' × '), text, 'ffma_' || tile || '_' || word FROM tile JOIN ordered
         UNION ALL
         VALUES (4, 1, '6 × 6', 'diagonal, banks mixed', 'ffma_three_reads'),
                (5, 1, '6 × 6', 'diagonal, one bank', 'ffma_one_bank'))
SELECT tile, text AS "order", percent(1.0 * ffma_reuse / ffma) AS "with `.reuse`",
       form('%.3f', 1.0 * ffma_reads / ffma) AS "registers read per FFMA",
       percent(1.0 * ffma_conflicts / ffma) AS "conflicts by Turing's rule",
       form('%.3f', 1.0 * (loop_instructions + ffma_conflicts) / ffma) AS "clocks if a conflict costs one",
       form('%.3f', 1.0 * (loop_instructions + ffma_reads) / ffma - 2) AS "clocks if a third register costs one",
       form('%.3f', 4 * clocks) AS "clocks, measured", percent(rate / peak) AS "% of the peak"
FROM line LEFT JOIN (SELECT * FROM sass WHERE variant LIKE 'ffma_%') ON variant = line.name
LEFT JOIN limits ON limits.name = line.name
ORDER BY place, rank;
-- part: below
SELECT sub('Machine code for ' || max(arch) || ' by nvcc ' || max(nvcc) || '; clocks of a scheduler for an FFMA' ||
           coalesce(', recorded on ' || (SELECT text FROM source WHERE kind = 'limits'), '') || '.')
FROM sass WHERE variant LIKE 'ffma_%';
