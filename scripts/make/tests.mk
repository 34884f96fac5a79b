# What only tests are for.
archives := $(foreach f,conv knn readers gemv gemm core,build/lib/$(f).a)
tests := $(patsubst tests/%.c,build/tests/%,$(wildcard tests/*/test_*.c))
gpu_test := build/tests/gpu/faults
tensorcore_test := build/tests/tensorcore/run
bits_test := build/tests/steps/same_bits
conv_best_tests := build/tests/conv_best/run build/tests/conv_half/run
program_objects = $(filter-out build/obj/$(1)/test_%,$(call objects,$(1))) # of a folder that holds tests, too
# Steps with correct variants and variants with one fault each; step 7's configurations, each as a variant.
test_steps := $(foreach t,gemm gemv knn conv candidates family,build/tests/$(t)/run)
test_libs = $(LDLIBS) $(gold)
link_tests = $(test_libs) -lcmocka
$(foreach t,$(tests),$(eval $(call program,$(t),$(t:build/%=build/obj/%).c.o $(archives),$(link_tests))))
$(foreach t,$(test_steps),$(eval $(call program,$(t),$(call program_objects,$(t:build/%/run=%)) $(archives), \
    $(test_libs))))
$(eval $(call program,$(gpu_test),$(call program_objects,tests/gpu) \
    build/obj/tests/gemm/kernels.cu.o $(archives),$(test_libs)))
$(eval $(call program,$(tensorcore_test),$(call objects,tests/tensorcore) \
    $(filter-out %/step.c.o,$(call step_objects,step06_tensorcore)) \
    build/obj/step04_vectorized/lds128_2x2.cu.o $(archives),$(test_libs)))
$(eval $(call program,$(bits_test),build/obj/tests/steps/same_bits.c.o build/obj/step05_doublebuffer/best/best.cu.o \
    $(archives),$(test_libs)))
$(foreach t,$(conv_best_tests),$(eval $(call program,$(t),$(call objects,$(t:build/%/run=%) step09_conv/best) \
    $(also_step09_conv) $(archives),$(test_libs))))
build/obj/tests/%.c.o: CFLAGS += -idirafter /usr/include/openblas # where Fedora has cblas.h; deps.sh looks there too

# They run on the GPU that is here or that ARCHS names, else in the simulator, which takes the PTX of compute_90a alone.
# Optimising their host code would take longer than it saves.
build/obj/tests/%.cu.o: NVCCFLAGS := $(filter-out -O1,$(NVCCFLAGS))
build/obj/tests/%.cu.o: gencode := $(if $(gpu)$(archs_wanted),$(gencode_here),$(gencode_ptx))

# Under a sanitizer: steps with the simulator linked into them; readers of data files, which need none.
asan_flags := -fsanitize=address,undefined -fno-sanitize-recover=all
tsan_flags := -fsanitize=thread -Wno-tsan
define sanitizer_rules
build/$(1)/%.c.o: %.c build/flags
	$$(call say,cc    $$< ($(1)))
	$$(Q)$$(compile_c) -fno-strict-aliasing -ffp-contract=off -fno-math-errno -O1 -g1 -frounding-math $$($(1)_flags)
$(foreach s,$(steps),$(call program,build/$(1)/$(s)/run,$(call step_objects,$(s)),-Wl$(,)--whole-archive \
    cudasim/build/$(1)/libcudasim.a -Wl$(,)--no-whole-archive -Wl$(,)--export-dynamic-symbol=cudasim_active \
    -lstdc++ -ldl -lm -lpthread,$$($(1)_flags))
build/$(1)/$(s)/run: cudasim/build/$(1)/libcudasim.a
)
sanitized += $(patsubst %,build/$(1)/%/run,$(steps))
endef
$(foreach s,asan tsan,$(eval $(call sanitizer_rules,$(s))))
asan_readers := $(patsubst %,build/asan/%.o,$(wildcard common/readers/*.c common/base/*.c))
$(foreach t,test_table test_classify,$(eval $(call program,build/asan/tests/readers/$(t), \
    build/asan/tests/readers/$(t).c.o $(asan_readers),-lcmocka -lm -lpthread,$(asan_flags))))
sanitized += $(addprefix build/asan/tests/readers/,test_table test_classify)
begin := build/begin/product # docs/begin.md's program
$(eval $(call program,$(begin),build/obj/docs/begin/product.cu.o,$(LDLIBS)))
