-- KDD Cup 1999: do exact and inexact search detect alike?
-- marker: knn-alike
-- align: text
-- part: rows
WITH pair AS (SELECT a.detection - b.detection AS found, a.false_alarms - b.false_alarms AS alarms, a.k AS k
              FROM rate AS a JOIN rate AS b ON (b.protocol, b.class, b.k) = (a.protocol, a.class, a.k)
              WHERE a.method = 'gemm_cublas+auto' AND b.method = (SELECT method FROM rate_method))
SELECT CASE WHEN count(*) = 0 THEN 'Not measured yet.'
            ELSE form('Of the %d cells (class, origin of the test records, k = %d to %d) exact and inexact ' ||
                'search have the same ' ||
                      'detection rate and the same false alarms in %d.', count(*), min(k), max(k), sum(max(abs(found),
                             abs(alarms)) < 1e-9)) END
FROM pair
UNION ALL
SELECT form('In the others detection differs by at most %.1f points, false alarms by at most %.1f.',
            100 * max(abs(found)), 100 * max(abs(alarms)))
FROM pair HAVING sum(max(abs(found), abs(alarms)) < 1e-9) < count(*);
