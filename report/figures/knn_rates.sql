-- KDD Cup 1999: means over the samples of the exact method.
-- part: points
SELECT protocol, class, k, detection, false_alarms FROM rate JOIN rate_method USING (method)
WHERE k BETWEEN 1 AND 15 ORDER BY k;
-- part: note
SELECT coalesce((SELECT seeds FROM rate JOIN rate_method USING (method) WHERE (protocol, class, k) = ('corrected', 'DoS', 1)), 0)
       AS samples,
       coalesce((SELECT attacks_known FROM rate_count WHERE (protocol, class) = ('same', 'U2R')), 0) AS attacks;
