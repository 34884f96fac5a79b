-- tf32x3's error beside TF32's and FP32's. Sums in the simulator are not a GPU's.
-- part: points
SELECT max(rowid), "values", dtype, k, error_mean, error_max
FROM tensorcore_error WHERE device NOT LIKE '%simulated%'
GROUP BY "values", dtype, k;
