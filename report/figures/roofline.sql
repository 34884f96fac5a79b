-- Every variant at 4096^3 over its intensity, FLOP per byte that its blocks load.
-- part: points
SELECT v.step, v.short, v.variant, flop_per_byte, tflops
FROM variant AS v JOIN gemm USING (step, variant) JOIN intensity USING (step, variant)
WHERE family = 'gemm' AND (m, n, k) = (4096, 4096, 4096) AND flop_per_byte > 0
ORDER BY step, place;
-- part: device
-- An unknown device has no DRAM bandwidth; its FP32 peak is what `run` computed of the device's attributes.
SELECT dram_gbps / 1000 AS dram, coalesce(peak, fp32_tflops) AS peak
FROM gemm_about LEFT JOIN devices ON devices.name = device;
