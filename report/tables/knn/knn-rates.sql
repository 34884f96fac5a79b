-- KDD Cup 1999: what is detected and what is taken for an attack, by class of attacks and where the test comes from.
-- marker: knn-rates
-- align: lllr
-- part: rows
WITH class(place, class) AS (VALUES (1, 'DoS'), (2, 'Probe'), (3, 'R2L'), (4, 'U2R')),
     test(nr, protocol, label) AS (VALUES (1, 'same', 'the same file'), (2, 'corrected', '`corrected`')),
     cell AS (SELECT protocol, class, k,
                     form('%.1f %% (%.0f..%.0f)', 100 * detection, 100 * detection_least, 100 * detection_most) AS
                            found,
                     form('%.2f %% (%.1f..%.1f)', 100 * false_alarms, 100 * false_alarms_least, 100 * false_alarms_most)
                     AS alarms
              FROM rate JOIN rate_method USING (method) WHERE k IN (1, 5, 15))
SELECT class.class AS "class", label AS "test from", train_normal || ' + ' || train_attacks || ', ' || test_normal ||
       ' + ' || test_attacks AS "records: training, test", one.found AS "detected, k = 1", five.found AS "k = 5",
       fifteen.found AS "k = 15", one.alarms AS "false alarms, k = 1", five.alarms AS "k = 5", fifteen.alarms AS
              "k = 15"
FROM class JOIN test
LEFT JOIN rate_count AS c ON (c.protocol, c.class) = (test.protocol, class.class)
LEFT JOIN cell AS one ON (one.protocol, one.class, one.k) = (test.protocol, class.class, 1)
LEFT JOIN cell AS five ON (five.protocol, five.class, five.k) = (test.protocol, class.class, 5)
LEFT JOIN cell AS fifteen ON (fifteen.protocol, fifteen.class, fifteen.k) = (test.protocol, class.class, 15)
ORDER BY place, nr;
-- part: below
WITH last AS (SELECT seeds FROM rate JOIN rate_method USING (method) WHERE (protocol, class, k) = ('corrected', 'U2R',
       1)),
     found AS (SELECT (test_normal + test_attacks) * max(k) AS all_found FROM knn_rates WHERE method =
            'gemm_cublas+auto'
               GROUP BY protocol, class, seed) -- each search is for the largest k
SELECT sub('Recorded on ' || max(text) || '; means (least..most) of ' || coalesce((SELECT seeds FROM last), 0) ||
           ' samples by `' || coalesce((SELECT method FROM rate_method), '') ||
           '`, whose neighbours are the CPU''s bit for bit. `gemm_cublas+auto` finds ' ||
           (SELECT coalesce(sum(all_found), 0) FROM found) || ' neighbours in all these samples together, and ' ||
           (SELECT coalesce(sum(unlike), 0) FROM rate WHERE method = 'gemm_cublas+auto' AND k = 1) ||
           ' of them are not the CPU''s' ||
           coalesce((SELECT ': ' || sum(neighbours_tied) || ' are as near as its last and only lost a tie, the ' ||
               'other ' ||
                            sum(neighbours_unlike_cpu - neighbours_tied) || ' are wrong by rounding'
                     FROM knn_rates WHERE method = 'gemm_cublas+auto' AND k = 1
                     HAVING count(neighbours_tied) = count(*)), '') || '. ' ||
           'Of U2R ' || coalesce((SELECT attacks_known FROM rate_count WHERE (protocol, class) = ('same', 'U2R')), '')
           || ' attacks exist in the training data, not 100: half of them train where the test is from the same file.')
FROM source WHERE kind = 'knn_rates';
