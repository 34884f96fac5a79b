apart_step06_tensorcore := build/obj/step06_tensorcore/tune/%
$(patsubst %,build/obj/step06_tensorcore/best/%.cu.o,multistage $(addprefix types/,multistage_bf16 multistage_s8 \
    multistage_tf32 persistent_bf16 persistent_f16_nn persistent_bf16_nn persistent_s8 persistent_tf32)): \
    gencode := $(gencode_twin)
build/tests/steps/test_fragment: build/obj/step06_tensorcore/a_mma/fragment.c.o
build/tests/steps/test_persistent_plan: \
    $(addprefix build/obj/step06_tensorcore/,best/plan.c.o best/costs.c.o tune/fit.c.o)

# CUTLASS's kernels as variants (make cutlass CUTLASS_HOME=FOLDER).
cutlass := build/obj/tests/baselines/cutlass.cu.o
$(eval $(call program,build/cutlass/run,$(cutlass) $(foreach l,gemm core,build/lib/$(l).a),$(LDLIBS)))
$(cutlass): gencode := $(gencode_here)
$(cutlass): no_spills :=
$(cutlass): NVCCFLAGS := -std=c++17 -O3 -DNDEBUG --no-compress --expt-relaxed-constexpr -diag-suppress 20012 \
    -isystem "$(CUTLASS_HOME)/include" -Xcompiler -fPIC,-fvisibility=hidden
