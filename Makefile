# kernel-ladder. `make help` lists the targets; V=1 shows the commands.
#
# ARCHS     GPUs to make machine code for, e.g. ARCHS="80 89 90a" (default: the GPU here, else 90a). The PTX of
#           compute_90a and of the newest of the list always comes along (compute_90a's alone where only tests use it).
# CUDA_HOME, NVCC, CC   the toolkit and the C compiler, where the ones that scripts/deps.sh finds will not do.

goals := $(or $(MAKECMDGOALS),all)
dry := $(findstring n,$(firstword -$(MAKEFLAGS)))$(findstring q,$(firstword -$(MAKEFLAGS)))
MAKEFLAGS += --no-builtin-rules --no-print-directory
# The two commands of the README take all of the machine, where -j does not say otherwise.
ifneq ($(filter demo test,$(goals)),)
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)
endif
endif
.DELETE_ON_ERROR:
# clean and what is built after it: one after the other.
ifneq ($(filter clean,$(goals)),)
.NOTPARALLEL:
endif
.SUFFIXES:
Q := $(if $(V),,@)
ifeq ($(origin CC),default)
CC := gcc
endif

# ---- arguments -------------------------------------------------------------------------------------------------------

ifneq ($(filter profile,$(goals)),)
ifeq ($(STEP),)
$(error profile: STEP is not set, e.g. make profile STEP=step04)
endif
endif
ifneq ($(filter compare,$(goals)),)
ifeq ($(and $(A),$(B)),)
$(error compare: A and B are not both set, e.g. make compare A=old.csv B=plots/data/nvidia-h200/sgemm.csv)
endif
endif

# ---- what the goals need: scripts/deps.sh finds or installs it before anything else ----------------------------------

no_toolkit := help clean format data fuzz plots notes notes-check compare knn-torch
groups := $(if $(filter-out $(no_toolkit),$(goals)),cuda) \
          $(if $(filter deps demo plots test,$(goals)),plots) \
          $(if $(filter notes notes-check compare counters cold sass knn-paper,$(goals)),report) \
          $(if $(filter deps test test-sanitizers,$(goals)),test) \
          $(if $(filter deps knn-paper build/knn_cpu,$(goals)),baselines)
ifneq ($(strip $(groups)),)
$(shell CUDA_HOME='$(CUDA_HOME)' NVCC='$(NVCC)' CC='$(CC)' WHEELS='$(WHEELS)' \
    sh scripts/deps.sh $(if $(dry),--check) $(groups) >&2)
ifneq ($(.SHELLSTATUS),0)
$(error deps: see above)
endif
endif
ifneq ($(filter cuda,$(groups)),)
include build/config.mk

# ---- flags -----------------------------------------------------------------------------------------------------------

# What check-archs compiles for: of these what this nvcc knows.
known := $(CUDA_ARCHS) $(addsuffix a,$(filter-out 7% 8%,$(CUDA_ARCHS)))
wanted := $(or $(sort $(ARCHS)),75 80 86 89 90a 100a 120)
checked := $(filter $(known),$(wanted))
unknown := $(filter-out $(known),$(wanted))
left_out := $(if $(unknown),; nvcc $(CUDA_VERSION) does not know $(addprefix sm_,$(unknown)))
ifeq ($(strip $(ARCHS)),)
# 9.0, 10.0 and 12.0 to the names that give all of the GPU; what this nvcc does not know runs from PTX.
gpu := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ')
override ARCHS := $(or $(patsubst 90,90a,$(patsubst 100,100a,$(filter $(CUDA_ARCHS),$(gpu)))),90a)
endif
override ARCHS := $(sort $(ARCHS))
ifneq ($(filter-out $(known),$(ARCHS)),)
$(error ARCHS: unknown '$(filter-out $(known),$(ARCHS))'; nvcc $(CUDA_VERSION) makes code for $(strip $(known)))
endif
portable := $(shell printf '%s\n' $(ARCHS:a=) | sort -n | tail -n 1)
endif # cuda

, := ,
gencode_here := $(foreach a,$(filter-out 90a,$(ARCHS)),-gencode arch=compute_$(a),code=sm_$(a)) \
                -gencode 'arch=compute_90a,code=[$(if $(filter 90a,$(ARCHS)),sm_90a$(,))compute_90a]'
gencode := $(gencode_here) -gencode arch=compute_$(portable),code=compute_$(portable)

CPPFLAGS := -Icommon
CFLAGS := -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -isystem "$(CUDA_DIR)/include" \
          -DCUDA_LIB_DIR='"$(CUDA_LIB)"'
# ptxas fails the build on a spilled register too, but for files that say "spills: intended".
NVCCFLAGS := -O3 -lineinfo --no-compress -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror -Xptxas -Werror
no_spills = $(shell grep -q 'spills: intended' $< || echo -Xptxas -warn-spills)
# RUNPATH, so that LD_LIBRARY_PATH can put another libcudart under a program.
LDFLAGS := -Wl,--enable-new-dtags,-rpath,"$(CUDA_LIB)"
LDLIBS := "$(CUDART)" -Wl,--as-needed -lstdc++ -ldl -lm -lpthread

# ---- sources ---------------------------------------------------------------------------------------------------------

objects = $(patsubst %,build/obj/%.o,$(wildcard $(addprefix $(1)/,*.c *.cu)))
steps := $(patsubst %/step.c,%,$(wildcard step[0-9][0-9]_*/step.c))
number = $(firstword $(subst _, ,$(1)))
# What searches for neighbours and what reads data is step 8's alone, which links step 5's best kernel and zlib, too.
data_harness := $(call objects,common/readers)
knn_harness := $(call objects,common/knn) $(data_harness)
harness := $(foreach d,base gpu tensor bench gemm gemv,$(call objects,common/$(d)))
also_step08_knn := $(knn_harness) build/obj/step05_doublebuffer/stream_k.cu.o
libs_step08_knn := -lz
step_libs = $(libs_$(notdir $(@:/run=)))
step_objects = $(call objects,$(1)) $(harness) $(also_$(1))
sim_tests := $(patsubst tests/%.c,build/tests/%,$(wildcard tests/test_sim_*.c))
tests := $(filter-out $(sim_tests),$(patsubst tests/%.c,build/tests/%,$(wildcard tests/test_*.c)))

test_support := $(patsubst %,build/obj/%.o,$(filter-out tests/test_%,$(wildcard tests/*.c)))
gpu_test := build/tests/gpu/faults
gemm_test := build/tests/gemm/run
gemv_test := build/tests/gemv/run
knn_test := build/tests/knn/run
candidates_test := build/tests/candidates/run
tensorcore_test := build/tests/tensorcore/run
programs := $(patsubst tests/programs/%.cu,build/tests/programs/%,$(wildcard tests/programs/*.cu))
conformance := build/tests/conformance
sim_bench := $(patsubst tests/bench/%.cu,build/tests/bench/%,$(wildcard tests/bench/*.cu))
every_object := $(sort $(harness) $(knn_harness) $(foreach d,$(steps) tests tests/gpu tests/gemm tests/gemv tests/knn tests/candidates tests/tensorcore \
                  tests/conformance \
                  tests/programs \
                  tests/sanitizers tests/bench,$(call objects,$(d))))

# The simulator: its instructions' handlers (exec_*.c, ops.c) once for every instruction set, the rest once.
sim := build/sim/libcudart.so.13
isas := $(if $(findstring x86_64,$(shell uname -m)),baseline v3 v4,baseline)
march_v3 := -march=x86-64-v3
march_v4 := -march=x86-64-v4 -mprefer-vector-width=512
sim_handlers := $(filter common/sim/exec_%.c common/sim/ops.c,$(wildcard common/sim/*.c))
sim_rest := $(patsubst %,build/obj/%.o,$(filter-out $(sim_handlers),$(wildcard common/sim/*.c)))
sim_objects := $(sim_rest) $(foreach i,$(isas),$(patsubst %,build/obj/%.$(i).o,$(sim_handlers)))
kernels := $(patsubst build/obj/%.cu.o,%,$(filter %.cu.o,$(foreach d,$(steps) tests/gpu,$(call objects,$(d)))))

.DEFAULT_GOAL := all
.PHONY: all sim deps data demo test test-gpu test-sanitizers fuzz sanitize bench bench-sim plots notes notes-check format \
        knn-paper knn-torch clean help ptx profile compare counters cold errors test-tuned sass compile_commands.json \
        check-archs FORCE

all: $(foreach s,$(steps),$(call number,$(s))) sim ## build every step and the simulator (the default)

sim: $(sim) ## build the simulator: build/sim/libcudart.so.13

# stepNN: ## build one step: stepNN_name/run, and the link stepNN to its folder
define step_rules
$(1)/run: $(call step_objects,$(1))
.PHONY: $(call number,$(1))
$(call number,$(1)): $(1)/run $(sim)
	@ln -sfn $(1) $(call number,$(1))
endef
$(foreach s,$(steps),$(eval $(call step_rules,$(s))))

$(addsuffix /run,$(steps)): build/flags
	@echo "link  $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS) $(step_libs)

# Fedora's place of cblas.h, searched last; scripts/deps.sh looks there too.
build/obj/tests/%.c.o: CFLAGS += -idirafter /usr/include/openblas

$(tests): build/tests/%: build/obj/tests/%.c.o $(test_support) $(harness) build/flags
	@echo "link  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS) -lcmocka -lopenblas -lz

build/tests/test_fragment: build/obj/step06_tensorcore/fragment.c.o
build/tests/test_table build/tests/test_classify: $(data_harness)
build/tests/test_knn: $(filter-out %/knn_step.c.o %/knn_files.c.o,$(knn_harness))

# A test of the simulator takes the objects it needs, and may put its own in the place of others.
build/obj/tests/test_sim_%.c.o: CPPFLAGS += -Icommon/sim
build/sim/libsim.a: $(sim_objects)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)ar rcs $@ $^
$(sim_tests): build/tests/%: build/obj/tests/%.c.o build/sim/libsim.a build/flags
	@echo "link  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $(filter %.o %.a,$^) -lcmocka -lm -lpthread

$(gpu_test): $(call objects,tests/gpu) $(harness) build/flags
	@echo "link  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS)

# A step of a plain GEMM of every type, and of ones with a fault each, for tests/test_gemm.sh.
$(gemm_test): $(call objects,tests/gemm) $(harness) build/flags
	@echo "link  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS)

# A step of a plain GEMV, and of ones with a fault each, for tests/test_gemv.sh.
$(gemv_test): $(call objects,tests/gemv) $(harness) build/flags
	@echo "link  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS)

# A step of a plain search for neighbours, and of ones with a fault each, for tests/test_knn.sh.
$(knn_test): $(call objects,tests/knn) build/obj/step08_knn/vote.cu.o $(knn_harness) $(harness) build/flags
	@echo "link  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS) -lz

# What step 8 is compared with on the CPU: OpenBLAS, and ANN where it is installed.
knn_cpu_objects := $(patsubst %,build/obj/%.o,tests/baselines/knn_cpu.c tests/baselines/ann.cpp \
                     common/knn/knn_reference.c common/base/record.c common/base/stats.c)
ann := $(if $(wildcard /usr/include/ANN/ANN.h /usr/local/include/ANN/ANN.h),-lann)
openblas_library ?= -lopenblas
build/obj/tests/baselines/%.c.o: CFLAGS += -idirafter /usr/include/openblas
build/obj/tests/baselines/%.cpp.o: tests/baselines/%.cpp build/flags
	@echo "c++   $<"
	@mkdir -p $(@D)
	$(Q)g++ -std=c++17 -O2 -g -Wall -Wextra -Werror -MMD -MP -MF $(@:.o=.d) -c -o $@ $<
build/knn_cpu: $(knn_cpu_objects)
	@echo "link  $@"
	$(Q)g++ -o $@ $^ $(ann) $(openblas_library) -lm -lpthread

# Step 8's methods for other languages: all of the step but main, as code that can lie anywhere.
library := build/step08/libknn.so
library_objects := $(patsubst build/obj/%,build/pic/%,build/obj/step08_knn/library/knn_library.c.o \
                     $(filter-out %/step.c.o,$(call step_objects,step08_knn)))
$(library): $(library_objects) build/flags
	@echo "link  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-z,defs $(LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS) $(libs_step08_knn)

build/pic/%.c.o: %.c build/flags
	@echo "cc    $< (library)"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

build/pic/%.cu.o: %.cu build/flags
	@echo "nvcc  $< (library)"
	@mkdir -p $(@D)
	$(Q)"$(CUDA_NVCC)" $(CPPFLAGS) $(NVCCFLAGS) -Xcompiler -fPIC,-fvisibility=hidden $(no_spills) $(gencode) -MMD -MP \
	    -MF $(@:.o=.d) -c -o $@ $<

# Step 7's autotuned configurations, each a variant, for the same.
$(candidates_test): $(call objects,tests/candidates) $(filter %.cu.o,$(call objects,step07_gemv)) $(harness) build/flags
	@echo "link  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS)

# tf32x3 on special values, and its error beside TF32's and FP32's.
$(tensorcore_test): $(call objects,tests/tensorcore) $(filter-out %/step.c.o,$(call objects,step06_tensorcore)) \
    build/obj/step05_doublebuffer/warp_tiled.cu.o $(harness) build/flags
	@echo "link  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS)

# A program that runs on a GPU and, with the simulator's libcudart under it, without one.
build/obj/tests/programs/%.cu.o: no_spills :=
build/obj/tests/bench/%.cu.o: no_spills :=
$(programs) $(sim_bench): build/tests/%: build/obj/tests/%.cu.o build/flags
	@echo "link  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS)

# What only tests are for runs on the GPU that ARCHS names or in the simulator, which takes the PTX of compute_90a. Of
# its code for the host, tables and checks, the optimisation would take longer than it saves.
$(addprefix build/obj/tests/,gemm/%.cu.o gemv/%.cu.o programs/%.cu.o bench/%.cu.o): gencode := $(gencode_here)
build/obj/tests/%.cu.o: NVCCFLAGS := $(filter-out -O3,$(NVCCFLAGS))

# wgmma and setmaxnreg are sm_90a's only.
$(patsubst %,build/obj/%.o,$(wildcard tests/programs/wgmma*.cu tests/bench/wgmma*.cu)): \
    gencode := -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]'

# Every instruction of the PTX ISA, once: some of its kernels spill, and one architecture is enough.
build/obj/tests/conformance/%.cu.o: no_spills :=
build/obj/tests/conformance/%.cu.o: gencode := -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]'
$(conformance): $(call objects,tests/conformance) build/flags
	@echo "link  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS) -lz

$(sim): $(sim_objects) common/sim/libcudart.map build/flags
	@echo "link  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script,common/sim/libcudart.map -Wl,-z,defs \
	    -o $@ $(sim_objects) -lm -lpthread

# -fno-strict-aliasing: a lane array is whatever its instruction says. Rounding: as the operation says, never fused.
sim_flags = $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -fno-strict-aliasing -ffp-contract=off -fno-math-errno
$(sim_rest): build/obj/%.o: % build/flags
	@echo "cc    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(sim_flags) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

define isa_rules
$$(patsubst %,build/obj/%.$(1).o,$$(sim_handlers)): build/obj/%.$(1).o: % build/flags
	@echo "cc    $$< ($(1))"
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(sim_flags) -O3 -fno-trapping-math $$(march_$(1)) -DSIM_ISA=$(1) -MMD -MP -MF $$(@:.o=.d) -c -o $$@ $$<
endef
$(foreach i,$(isas),$(eval $(call isa_rules,$(i))))

# Under a sanitizer, the simulator linked into its tests, the steps and some programs. Handlers are instrumented for the
# baseline instruction set alone; the others are the same source, and linked as they are.
asan_flags := -fsanitize=address,undefined -fno-sanitize-recover=all
tsan_flags := -fsanitize=thread -Wno-tsan
asan_tests := $(patsubst build/%,build/asan/%,$(sim_tests))
uninstrumented := $(foreach i,$(filter-out baseline,$(isas)),$(patsubst %,build/obj/%.$(i).o,$(sim_handlers)))
sanitized_programs := $(addprefix tests/programs/,atomics_all bulk_copies cluster_histogram cooperative_grid_sync device_assert \
    dot_grid_stride errors fft function_pointers graph_capture histogram launch_ex memory_api printf recursion reduction scan \
    spin_lock sticky_error streams_events tensor_gemm tma_gemm warp_intrinsics wgmma_cluster_gemm wmma_gemm) tests/sanitizers/race
define sanitizer_rules
$(1)_linked := $(patsubst %,build/$(1)/%/run,$(steps)) $(patsubst %,build/$(1)/%,$(sanitized_programs))
build/$(1)/%.c.o: %.c build/flags
	@echo "cc    $$< ($(1))"
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(sim_flags) -Icommon/sim -O1 -g1 -frounding-math -DSIM_ISA=baseline $$($(1)_flags) -MMD -MP \
	    -MF $$(@:.o=.d) -c -o $$@ $$<
build/$(1)/libsim.a: $(patsubst %,build/$(1)/%.o,$(wildcard common/sim/*.c)) $(uninstrumented)
	@rm -f $$@
	$$(Q)ar rcs $$@ $$^
$(foreach s,$(steps),$(eval build/$(1)/$(s)/run: $(call step_objects,$(s))))
$(foreach p,$(sanitized_programs),$(eval build/$(1)/$(p): build/obj/$(p).cu.o))
$$($(1)_linked): build/$(1)/libsim.a
	@echo "link  $$@"
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$($(1)_flags) -o $$@ $$(filter %.o,$$^) -Wl,--whole-archive build/$(1)/libsim.a -Wl,--no-whole-archive \
	    -Wl,--export-dynamic-symbol=cudasim_active -lstdc++ -ldl -lm -lpthread $$(step_libs)
endef
$(foreach s,asan tsan,$(eval $(call sanitizer_rules,$(s))))
$(asan_tests): build/asan/%: build/asan/%.c.o build/asan/libsim.a
	@echo "link  $@"
	$(Q)$(CC) $(asan_flags) -o $@ $^ -lcmocka -lm -lpthread
# The readers of data files need no simulator.
asan_data := build/asan/tests/test_table build/asan/tests/test_classify
$(asan_data): build/asan/%: build/asan/%.c.o $(patsubst build/obj/%,build/asan/%,$(data_harness))
	@echo "link  $@"
	$(Q)$(CC) $(asan_flags) -o $@ $^ -lcmocka -lz -lm
sanitized := $(asan_tests) $(asan_data) $(asan_linked) $(tsan_linked)

build/obj/%.c.o: %.c build/flags
	@echo "cc    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

build/obj/%.cu.o: %.cu build/flags
	@echo "nvcc  $<"
	@mkdir -p $(@D)
	$(Q)"$(CUDA_NVCC)" $(CPPFLAGS) $(NVCCFLAGS) $(no_spills) $(gencode) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

# Everything is rebuilt when a compiler or a flag changes.
flags := $(CC) | $(CPPFLAGS) | $(CFLAGS) | $(CUDA_NVCC) $(CUDA_VERSION) | $(NVCCFLAGS) | $(gencode) | $(LDFLAGS) \
         $(LDLIBS)
build/flags: export FLAGS := $(flags)
ifneq ($(file <build/flags),$(flags))
build/flags: FORCE
endif
build/flags:
	@mkdir -p $(@D)
	@printf '%s\n' "$$FLAGS" >$@

-include $(every_object:.o=.d) $(knn_cpu_objects:.o=.d) $(sim_objects:.o=.d) $(wildcard build/[at]san/common/sim/*.d build/asan/common/readers/*.d build/asan/tests/*.d) $(foreach k,$(kernels),build/ptx/$(k).d build/archs/$(k).d)

-include $(every_object:.o=.d) $(library_objects:.o=.d) $(sim_objects:.o=.d) $(wildcard build/[at]san/common/sim/*.d build/asan/common/readers/*.d build/asan/tests/*.d) $(foreach k,$(kernels),build/ptx/$(k).d build/archs/$(k).d)

# ---- what people do with it ------------------------------------------------------------------------------------------

deps: ## find what everything needs, install what is missing (WHEELS=1: CUDA's Python wheels)
	@echo "CUDA $(CUDA_VERSION) in $(CUDA_DIR), $(shell $(CC) --version | head -n 1), gnuplot, Python, cmocka, OpenBLAS, zlib: here"
	@echo "machine code: $(addprefix sm_,$(ARCHS)); PTX: compute_90a compute_$(portable)"

data: ## fetch step 8's data sets, optdigits and KDD Cup 1999, into data/ (KNN_DATA= another folder)
	@sh scripts/data.sh

demo: all ## everything the project does, small, with a GPU or without
	@sh scripts/demo.sh

test_programs := $(tests) $(sim_tests) $(gpu_test) $(gemm_test) $(gemv_test) $(knn_test) $(candidates_test) $(tensorcore_test) $(programs) $(conformance) $(sanitized)
test: all $(test_programs) ## build everything with warnings as errors and run every test (and test-gpu on a GPU)
	@sh scripts/run_tests.sh

test-sanitizers: $(sanitized) ## the simulator's and readers' tests, steps and programs under ASan, UBSan and TSan
	@sh scripts/sanitizers.sh

fuzz: ## fuzz the readers of PTX, fat binaries and data files (FUZZ_SECONDS=600 each)
	@sh scripts/fuzz.sh

test-gpu: ## check every step, and the checking itself, on the GPU; needs no test library
	@sh scripts/test_gpu.sh

test-tuned: ## is step 7's autotuned ever slower than another variant? 100 random shapes (SHAPES=, SEED=)
	@sh tests/gpu/tuned.sh

sanitize: ## run compute-sanitizer's four tools over every step (TOOLS=, STEPS= narrow it)
	@sh scripts/sanitize.sh

bench-sim: all $(sim_bench) ## time the simulator beside its targets (RUNS=5)
	@sh scripts/bench_sim.sh

bench: ## measure every step and record it (BENCH_STEPS=, SWEEPS= ... narrow it, MINUTES= ends it early, FORCE=1 starts afresh)
	@sh scripts/bench.sh

knn-paper: ## the paper's three experiments on step 8, recorded (PARTS=, MINUTES=, FORCE=1; scripts/knn_paper.sh)
	@sh scripts/knn_paper.sh

plots: ## draw the figures from the recorded measurements (TERM=dumb: in the terminal)
	@sh scripts/plots.sh $(if $(filter command%,$(origin TERM)),--term '$(TERM)')

notes: ## refresh the tables of the notes from the recorded measurements
	@python3 -B -m report notes

notes-check: ## fail when a table of the notes is not what was recorded
	@python3 -B -m report notes --check

compare: ## compare two recorded files: A=old.csv B=new.csv
	@python3 -B -m report compare "$(A)" "$(B)"

profile: ## Nsight Compute on a step: STEP=step04 [VARIANT=name] [SIZE=4096]
	@sh scripts/profile.sh "$(STEP)" "$(VARIANT)" "$(SIZE)"

knn-torch: ## time step 8 beside PyTorch's addmm and topk, and record it (METHODS=, SHAPES= narrow it)
	@sh scripts/knn_torch.sh

errors: ## record the error of tf32x3, TF32 and FP32 against K on this GPU
	@sh scripts/errors.sh

counters: ## count what every step does (Nsight Compute) and record it (BENCH_STEPS= narrows it)
	@sh scripts/counters.sh

cold: ## count the bytes that step 7 reads from DRAM: does every launch find its matrix outside the caches?
	@sh scripts/cold.sh

sass: ## record the instructions of every kernel's main loop for sm_90a (needs cuobjdump, no GPU)
	@sh scripts/sass.sh

ptx: $(patsubst %,build/ptx/%.ptx,$(kernels)) ## write each kernel's PTX (and SASS, with cuobjdump) to build/ptx
ifneq ($(filter ptx,$(goals)),)
cuobjdump := $(firstword $(wildcard $(CUDA_DIR)/bin/cuobjdump) $(shell command -v cuobjdump))
ptx: $(if $(cuobjdump),$(patsubst %,build/ptx/%.sass,$(kernels)))
	@echo "build/ptx: the PTX of compute_90a$(if $(cuobjdump), and the SASS of $(ARCHS),; no SASS without cuobjdump)"
endif

build/ptx/%.ptx: %.cu build/flags
	@mkdir -p $(@D)
	$(Q)"$(CUDA_NVCC)" $(CPPFLAGS) -O3 -lineinfo -gencode arch=compute_90a,code=compute_90a -MMD -MP \
	    -MF $(@:.ptx=.d) -MT $@ -ptx -o $@ $<

build/ptx/%.sass: build/obj/%.cu.o
	@mkdir -p $(@D)
	$(Q)$(cuobjdump) -sass $< >$@

check-archs: $(patsubst %,build/archs/%.o,$(kernels)) ## compile every kernel for every architecture (or ARCHS=)
	@echo "every kernel compiles for $(addprefix sm_,$(checked))$(left_out)"

build/archs/%.o: %.cu build/flags
	@echo "nvcc  $< ($(checked))"
	@mkdir -p $(@D)
	$(Q)"$(CUDA_NVCC)" $(CPPFLAGS) $(NVCCFLAGS) $(no_spills) -MMD -MP -MF $(@:.o=.d) -c -o $@ $< \
	    $(foreach a,$(checked),-gencode arch=compute_$(a),code=sm_$(a))

# For clangd, which speaks clang's flags and not nvcc's.
quote = "$(1)",
entry = printf '{"directory": "%s", "file": "%s", "arguments": [%s "%s"]}' "$(CURDIR)" $(1) '$(2)' $(1)
clang_cu = $(foreach f,clang++ -x cuda -std=c++17 --cuda-gpu-arch=sm_90a --cuda-path=$(CUDA_DIR) $(CPPFLAGS), \
             $(call quote,$(f)))
clang_c = $(foreach f,$(CC) -std=c11 -D_GNU_SOURCE -Wall -Wextra -I$(CUDA_DIR)/include $(CPPFLAGS) \
            -DCUDA_LIB_DIR=\"$(CUDA_LIB)\",$(call quote,$(subst ",\",$(subst \",",$(f)))))
compile_commands.json: ## tell editors (clangd) how each file is compiled
	@{ sep='['; $(foreach o,$(every_object),printf '%s\n' "$$sep"; sep=,; \
	    $(call entry,$(patsubst build/obj/%.o,%,$(o)),$(if $(filter %.cu.o,$(o)),$(clang_cu),$(clang_c)));) \
	    printf '\n]\n'; } >$@

format: ## clang-format every .c, .h, .cu and .cuh
	@command -v clang-format >/dev/null || { if [ "$$(id -u)" = 0 ]; then sudo=; else sudo='sudo '; fi; \
	    echo "format: clang-format is missing; type: $${sudo}apt-get install clang-format" >&2; exit 2; }
	@clang-format -i $(wildcard $(foreach d,common/* step??_* step??_*/* tests tests/*,$(addprefix $(d)/,*.c *.h *.cu *.cuh)))

clean: ## remove what was built (the toolkit in build/cuda stays: rm -r build)
	@rm -rf $(filter-out build/cuda,$(wildcard build/*)) step[0-9][0-9]_*/run compile_commands.json
	@for link in step[0-9][0-9]; do if [ -L "$$link" ]; then rm "$$link"; fi; done
	@rmdir build 2>/dev/null || true

help: ## list the targets
	@sed -n 's/^\(# \)\{0,1\}\([a-zA-Z_.-]*\):.*## \(.*\)/\2\t\3/p' Makefile | \
	    while IFS="$$(printf '\t')" read -r name text; do printf '%-22s %s\n' "$$name" "$$text"; done
	@echo 'Variables: ARCHS="80 90a" (GPUs to make machine code for), CUDA_HOME=, NVCC=, CC= (tools), V=1 (show commands)'
