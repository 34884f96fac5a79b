# What only tests are for. A test of the simulator takes the objects it needs, and may put its own in others' place.
archives := $(foreach f,knn readers gemv gemm core,build/lib/$(f).a)
sim_tests := $(patsubst cudasim/tests/%.c,build/cudasim/tests/%,$(wildcard cudasim/tests/test_*.c cudasim/tests/*/test_*.c))
tests := $(patsubst tests/%.c,build/tests/%,$(wildcard tests/test_*.c tests/*/test_*.c))
programs := $(patsubst cudasim/tests/%.cu,build/cudasim/tests/%,$(wildcard $(foreach d,programs faulty counted,cudasim/tests/$(d)/*.cu)))
sim_bench := $(patsubst cudasim/tests/%.cu,build/cudasim/tests/%,$(wildcard cudasim/tests/bench/*.cu))
gpu_test := build/tests/gpu/faults
tensorcore_test := build/tests/tensorcore/run
# Steps with correct variants and variants with one fault each; step 7's configurations, each as a variant.
test_steps := $(foreach t,gemm gemv knn candidates family,build/tests/$(t)/run)
$(foreach t,$(tests),$(eval $(call program,$(t),$(t:build/%=build/obj/%).c.o $(archives),$(LDLIBS) -lcmocka -lopenblas)))
$(foreach t,$(sim_tests),$(eval $(call program,$(t),$(t:build/%=build/obj/%).c.o build/lib/sim.a,-lcmocka -lm -lpthread)))
$(foreach t,$(programs) $(sim_bench),$(eval $(call program,$(t),$(t:build/%=build/obj/%).cu.o,$(LDLIBS))))
$(foreach t,$(test_steps),$(eval $(call program,$(t),$(call objects,$(t:build/%/run=%)) $(archives),$(LDLIBS))))
$(eval $(call program,$(gpu_test),$(call objects,tests/gpu) $(archives),$(LDLIBS)))
$(eval $(call program,$(tensorcore_test),$(call objects,tests/tensorcore) $(filter-out %/step.c.o,$(call objects,step06_tensorcore)) \
    build/obj/step04_vectorized/lds128_2x2.cu.o $(archives),$(LDLIBS)))
$(eval $(call program,build/cudasim/tests/conformance/run,$(call objects,cudasim/tests/conformance),$(LDLIBS) -lz))
build/tests/test_fragment: build/obj/step06_tensorcore/a_mma/fragment.c.o
build/tests/knn/run: build/obj/step08_knn/paper/vote.cu.o
build/tests/candidates/run: $(filter %.cu.o,$(call objects,step07_gemv))
build/obj/cudasim/tests/%.c.o: CPPFLAGS += -DSIM_ISA=$(isa)
build/obj/tests/%.c.o: CFLAGS += -idirafter /usr/include/openblas # where Fedora has cblas.h; deps.sh looks there too

# They run on the GPU that ARCHS names or in the simulator, which takes the PTX of compute_90a. Optimising their host
# code would take longer than it saves. Conformance has every instruction of the PTX ISA once: some of its kernels spill,
# and wgmma and setmaxnreg exist on sm_90a only.
hopper := -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]'
build/obj/tests/%.cu.o build/obj/cudasim/tests/%.cu.o: NVCCFLAGS := $(filter-out -O3,$(NVCCFLAGS))
build/obj/tests/%.cu.o build/obj/cudasim/tests/%.cu.o: gencode := $(gencode_here)
$(patsubst %,build/obj/%.o,$(wildcard $(addprefix cudasim/tests/,programs/wgmma*.cu faulty/*.cu counted/*.cu bench/wgmma*.cu conformance/*.cu))): gencode := $(hopper)
build/obj/cudasim/tests/programs/multi_arch.cu.o: gencode := $(foreach a,80 90 120,-gencode arch=compute_$(a),code=compute_$(a))
$(patsubst %,build/obj/%.o,$(wildcard $(foreach d,programs faulty counted bench conformance,cudasim/tests/$(d)/*.cu))): no_spills :=

# Under a sanitizer, the simulator linked into its tests, the steps and some programs; readers of data files need none.
asan_isa := $(isa:v4=v3)
asan_flags := -fsanitize=address,undefined -fno-sanitize-recover=all $(march_$(asan_isa)) # dot products need AVX2's multiply-add
tsan_flags := -fsanitize=thread -Wno-tsan
sanitized_programs := $(addprefix cudasim/tests/programs/,atomics_all bulk_copies cluster_histogram cooperative_grid_sync \
    device_assert dot_grid_stride errors fft function_pointers graph_capture histogram host_threads launch_ex memory_api printf recursion \
    reduction scan spin_lock sticky_error streams_events tensor_gemm tma_gemm warp_intrinsics wgmma_cluster_gemm wmma_gemm) \
    cudasim/tests/sanitizers/race
define sanitizer_rules
build/$(1)/%.c.o: %.c build/flags
	$$(call say,cc    $$< ($(1)))
	$$(Q)$$(compile_c) $(as_written) -Icudasim/src -Icudasim/include -Icudasim/tests -O1 -g1 -frounding-math -DSIM_ISA=$(or $($(1)_isa),baseline) '-DSIM_ISAS=ISA($(or $($(1)_isa),baseline))' $$($(1)_flags)
build/lib/$(1)_sim.a: $(patsubst %,build/$(1)/%.o,$(sim_sources))
$(1)_whole := -Wl,--whole-archive build/lib/$(1)_sim.a -Wl,--no-whole-archive \
    -Wl,--export-dynamic-symbol=cudasim_active -lstdc++ -ldl -lm -lpthread
$(foreach s,$(steps),$(call program,build/$(1)/$(s)/run,$(call step_objects,$(s)),$$($(1)_whole),$($(1)_flags))
build/$(1)/$(s)/run: build/lib/$(1)_sim.a
)
$(foreach p,$(sanitized_programs),$(call program,build/$(1)/$(p),build/obj/$(p).cu.o,$$($(1)_whole),$($(1)_flags))
build/$(1)/$(p): build/lib/$(1)_sim.a
)
sanitized += $(patsubst %,build/$(1)/%/run,$(steps)) $(patsubst %,build/$(1)/%,$(sanitized_programs))
endef
$(foreach s,asan tsan,$(eval $(call sanitizer_rules,$(s))))
asan_readers := $(patsubst %,build/asan/%.o,$(wildcard common/readers/*.c common/base/*.c))
$(foreach t,$(sim_tests),$(eval $(call program,build/asan/$(t:build/%=%),build/asan/$(t:build/%=%).c.o build/lib/asan_sim.a,build/lib/asan_sim.a -lcmocka -lm -lpthread,$(asan_flags))))
$(foreach t,test_table test_classify,$(eval $(call program,build/asan/tests/$(t),build/asan/tests/$(t).c.o $(asan_readers),-lcmocka -lm -lpthread,$(asan_flags))))
sanitized += $(patsubst build/%,build/asan/%,$(sim_tests)) build/asan/tests/test_table build/asan/tests/test_classify
