-- A ladder on every GPU: the ratio at each shape.
-- part: shapes
SELECT line, shape, min(place) AS place FROM reached
WHERE ladder = :ladder AND ratio IS NOT NULL
GROUP BY line, shape ORDER BY line, place, shape;
-- part: points
SELECT gpu, line, shape, ratio FROM reached WHERE ladder = :ladder AND ratio IS NOT NULL;
-- part: gpus
SELECT short, text FROM gpu WHERE ladder = :ladder ORDER BY place;
