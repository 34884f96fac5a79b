families_step07_gemv := gemv
build/tests/candidates/run: $(filter %.cu.o,$(call objects,step07_gemv))
