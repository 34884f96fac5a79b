families_step07_gemv := gemv
build/tests/candidates/run: $(filter %.cu.o,$(call objects,step07_gemv))

# Its kernels for other languages (make other-languages).
gemv_kernels := $(filter %.cu.o,$(call objects,step07_gemv))
$(eval $(call program,build/step07/libgemv.so,build/obj/docs/languages/ours.c.o $(gemv_kernels),$(LDLIBS),-shared \
    -Wl$(,)-z$(,)defs $(LDFLAGS)))
