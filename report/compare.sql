-- Two recorded files side by side (tables a and b, of the columns of a record). Of several rows of one case the last
-- counts; the simulator's hold no times. A GEMM between events and in graphs is one case: how long a launch takes
-- chooses which.
-- part: latest
CREATE TABLE latest AS
SELECT side, what, ms_median AS ms, ms_low AS low, ms_high AS high, min(line) OVER (PARTITION BY side, what) AS first
FROM (SELECT *, rank() OVER (PARTITION BY side, what ORDER BY line DESC) AS age FROM (
    SELECT *, substr(step, 1, 6) || ' ' || variant || ' ' || m || 'x' || n || 'x' || k || ifnull('x' || d, '') || ' ' ||
              CASE op WHEN 'gemm' THEN '' ELSE op || ' ' END || dtype || ' ' || layout || ' ' || alpha || '/' || beta ||
              ' ' || cache || CASE WHEN op = 'gemm' AND mode IN ('events', 'graph') THEN '' ELSE ' ' || mode END AS what
    FROM (SELECT 1 AS side, rowid AS line, * FROM a UNION ALL SELECT 2, rowid, * FROM b) WHERE mode <> 'sim'))
WHERE age = 1;
-- part: cases
SELECT what, a.ms AS a, b.ms AS b, a.ms / nullif(b.ms, 0) AS change, a.low <= b.high AND b.low <= a.high AS overlap
FROM latest AS a JOIN latest AS b USING (what) WHERE a.side = 1 AND b.side = 2 ORDER BY a.first;
-- part: counts
SELECT count(CASE side WHEN 1 THEN 1 END) AS a, count(CASE side WHEN 2 THEN 1 END) AS b FROM latest;
