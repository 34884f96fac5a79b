# kernel-ladder. `make help` lists the targets; V=1 shows the commands.
#
# ARCHS="80 89 90a": GPUs to generate machine code for (default: the one in this machine, else 90a; scripts/archs.sh).
# CUDA_HOME, NVCC, CC: the toolkit and the C compiler to use instead of those that scripts/deps.sh finds. REVISION=1a2b3c4:
# the commit that records name, for a copy of the tree without its .git.

goals := $(or $(MAKECMDGOALS),all)
MAKEFLAGS += --no-builtin-rules --no-print-directory
# Use all cores unless -j says otherwise.
$(if $(filter -j%,$(MAKEFLAGS)),,$(eval MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)))
.DELETE_ON_ERROR .SUFFIXES:
$(if $(filter clean,$(goals)),$(eval .NOTPARALLEL:)) # clean must finish before anything else is built
Q := $(if $(V),,@)
CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
$(if $(filter profile,$(goals)),$(if $(STEP),,$(error profile: STEP is not set, e.g. make profile STEP=step04)))
$(if $(filter compare,$(goals)),$(if $(and $(A),$(B)),,$(error compare: A and B are not both set, e.g. make compare A=old.csv \
    B=plots/data/nvidia-h200/sgemm.csv)))

include scripts/make/toolkit.mk scripts/make/build.mk

# ---- the parts of a step ---------------------------------------------------------------------------------------------
steps := $(patsubst %/step.c,%,$(wildcard step[0-9][0-9]_*/step.c))
number = $(firstword $(subst _, ,$(1)))
build/lib/core.a: $(call objects,common/base common/gpu common/tensor common/bench)
$(foreach m,gemm gemv knn readers,$(eval build/lib/$(m).a: $(call objects,common/$(m))))

build/gpu/devices.inc: common/gpu/devices.csv scripts/make/devices.awk ; @mkdir -p $(@D); awk -f scripts/make/devices.awk $< >$@
build/obj/common/gpu/peaks.c.o: CPPFLAGS += -Ibuild
build/obj/common/gpu/peaks.c.o: build/gpu/devices.inc

families_step07_gemv := gemv
families_step08_knn := knn readers gemm
also_step08_knn := build/obj/step05_doublebuffer/best/best.cu.o
step_objects = $(call objects,$(1)) $(also_$(1)) $(foreach f,$(or $(families_$(1)),gemm) core,build/lib/$(f).a)
$(foreach s,$(steps),$(eval $(call program,$(s)/run,$(call step_objects,$(s)),$(LDLIBS)$(if $(findstring knn,$(s)), -lz))))

# Step 8's methods for other languages: the whole step except main.
library := build/step08/libknn.so
$(eval $(call program,$(library),build/obj/step08_knn/library/knn_library.c.o \
    $(filter-out %/step.c.o,$(call step_objects,step08_knn)),$(LDLIBS) -lz,-shared -Wl$(,)-z$(,)defs $(LDFLAGS)))

# Step 8's baselines on the CPU: OpenBLAS, and ANN if it is installed.
ann := $(if $(wildcard /usr/include/ANN/ANN.h /usr/local/include/ANN/ANN.h),-lann)
openblas_library ?= -lopenblas
$(eval $(call program,build/knn_cpu,$(patsubst %,build/obj/%.o,tests/baselines/knn_cpu.c tests/baselines/ann.cpp) \
    build/lib/knn.a build/lib/core.a,$(ann) $(openblas_library) $(LDLIBS)))

include scripts/make/simulator.mk scripts/make/tests.mk
$(if $(wildcard bundle.txt),$(eval .SECONDARY: $(call objects,$(addprefix common/,base gpu tensor bench gemm gemv knn readers)))) # an archive has them linked

# EX="my/NN_name", from scripts/ex.sh: each linked with its harness; warnings are no errors; C++14 has shorter headers.
exercise_objects = build/obj/$(1)/exercise.cu.o build/obj/exercises/$(2).c.o $(if $(filter knn,$(2)),$(archives) $(patsubst %,build/obj/step08_knn/%.o,search.c distance_direct.cu paper/vote.cu),build/lib/$(2).a build/lib/core.a)
$(foreach e,$(EX),$(eval build/obj/$(e)/exercise.cu.o: NVCCFLAGS := -O3 -std=c++14 -lineinfo --no-compress -Xcompiler -fPIC$(,)-fvisibility=hidden)$(eval $(call program,build/$(e)/run,$(call exercise_objects,$(e),$(shell sed -n 's/^family=//p' exercises/$(notdir $(e))/exercise.txt)),$(LDLIBS) -lz)))

$(linked):
	$(call say,link  $@)
	$(Q)$(CC) $(link_flags) -o $@ -Wl,--start-group $(filter-out cudasim/build/%,$(filter %.o %.a,$^)) \
	    -Wl,--end-group $(link_libs)

# ---- goals -----------------------------------------------------------------------------------------------------------
kernels := $(patsubst build/obj/%.cu.o,%,$(filter %.cu.o,$(call objects,$(steps) tests/gpu)))
.DEFAULT_GOAL := all
scripted := test-gpu sanitize fuzz bench knn-paper knn-torch errors counters golden cold latency sass data ptx sim-counters diff drawings timeline book book-test ex exercises bundle first-hour
.PHONY: all sim sim-all cudasim-tests deps demo test test-all test-sanitizers test-tuned check-layout check-archs bench-sim plots notes \
        notes-check compare profile format clean help compile_commands.json FORCE $(scripted)

all: $(foreach s,$(steps),$(call number,$(s))) ## build every step (the default), and the simulator if there is no GPU
sim: $(sim) ## build the simulator for this machine: cudasim/build/libcudart.so.13
sim-all: $(sim_all) ## the same for every instruction set: cudasim/build/all/libcudart.so.13

# stepNN: ## build one step: stepNN_name/run, with a link stepNN to its folder
define step_goal
.PHONY: $(call number,$(1))
$(call number,$(1)): $(1)/run $(if $(gpu),,$(sim))
	@ln -sfn $(1) $(call number,$(1))
endef
$(foreach s,$(steps),$(eval $(call step_goal,$(s))))

deps: ## find what everything needs and install what is missing (WHEELS=1: CUDA's Python wheels)
	@echo "CUDA $(CUDA_VERSION) in $(CUDA_DIR), $(shell $(CC) --version | head -n 1), gnuplot, cmocka, OpenBLAS, zlib: here"
	@echo "machine code: $(addprefix sm_,$(archs)); PTX: compute_90a$(addprefix $(,) compute_,$(portable))"
demo: all ; @sh scripts/demo.sh ## show everything the project does, in small, with or without a GPU
test_programs := $(tests) $(test_steps) $(gpu_test) $(tensorcore_test)
cudasim-tests: | $(sim) $(if $(filter test-all,$(goals)),$(sim_all) $(foreach s,asan tsan,cudasim/build/$(s)/libcudasim.a))
	+$(Q)$(cudasim) $(if $(filter test-all,$(goals)),tests-all,tests)
test: all $(test_programs) cudasim-tests check-layout ## build everything with warnings as errors and run every test (with a GPU also test-gpu)
	@sh scripts/run_tests.sh
test-all: all $(test_programs) cudasim-tests $(sanitized) check-layout ## also longer lists, every instruction set, sanitizers and fuzzing
	@KL_TEST_ALL=1 sh scripts/run_tests.sh
test-sanitizers: $(sanitized) ; +@sh scripts/sanitizers.sh && $(cudasim) test-sanitizers ## steps, readers and the simulator's own tests under ASan, UBSan, TSan
test-tuned: ; @sh tests/gpu/tuned.sh ## is step 7's best ever slower than another variant? (SHAPES=, SEED=)
check-layout: $(if $(filter cuda,$(groups)),$(sim)) ; @python3 scripts/check_layout.py ## check the order of includes and calls, the size of files and folders
bench-sim: all $(sim) ; +@sh scripts/bench_sim.sh && $(cudasim) bench ## time the simulator and compare with its targets (RUNS=5)

# Goals that run a script, whose line `# help: ` describes them.
ptx: all
$(scripted): ; @sh scripts/$(subst -,_,$@).sh
notes: ; @python3 -B -m report notes ## update the numbers in the notes from the recorded measurements
notes-check: ; @python3 -B -m report notes --check ## fail if a number in the notes differs from the recorded one
given = $(if $(filter command%,$(origin $(1))),$(2) '$($(1))')
plots: ## draw the figures from the recorded measurements (TERM=dumb: in the terminal; DEVICE=nvidia-h100: that GPU's)
	@sh scripts/plots.sh $(call given,TERM,--term) $(call given,DEVICE,--device)
compare: ; @python3 -B -m report compare "$(A)" "$(B)" ## compare two recorded files: A=old.csv B=new.csv
profile: ; @sh scripts/profile.sh "$(STEP)" "$(VARIANT)" "$(SIZE)" ## run Nsight Compute on a step: STEP=step04 [VARIANT=] [SIZE=4096]
check-archs: $(patsubst %,build/archs/%.o,$(kernels)) ## compile every kernel for every architecture (or ARCHS=)
	@echo "every kernel compiles for $(addprefix sm_,$(checked))$(left_out)"
build/archs/%.o: %.cu build/flags
	$(call say,nvcc  $< ($(checked)))
	$(Q)$(compile_cuda)
build/archs/%.o: gencode = $(foreach a,$(checked),-gencode arch=compute_$(a),code=sm_$(a))
compile_commands.json: ; @{ $(MAKE) -Bn V=1 cudasim=: all $(test_programs); echo cd cudasim; $(cudasim) -Bn V=1 all tests; } | python3 scripts/compile_commands.py "$(CUDA_DIR)" >$@ ## tell editors (clangd) how each file is compiled
format: ## run clang-format on every .c, .h, .cu and .cuh
	@command -v clang-format >/dev/null || { [ "$$(id -u)" = 0 ] || sudo='sudo '; \
	    echo "format: clang-format is missing; type: $${sudo}apt-get install clang-format" >&2; exit 2; }
	@git ls-files '*.c' '*.h' '*.cu' '*.cuh' | xargs clang-format -i
clean: ## remove what was built, except for the toolkit in build/cuda
	@rm -rf $(filter-out build/cuda,$(wildcard build/*)) cudasim/build step[0-9][0-9]_*/run compile_commands.json
	@for link in step[0-9][0-9]; do if [ -L "$$link" ]; then rm "$$link"; fi; done; rmdir build 2>/dev/null || true
help: ## list the targets
	@trap '' PIPE; { sed -n 's/^\(# \)\{0,1\}\([a-zA-Z_.-]*\):.*## \(.*\)/\2\t\3/p' Makefile | \
	    while IFS="$$(printf '\t')" read -r name text; do printf '%-22s %s\n' "$$name" "$$text"; done; \
	    for name in $(scripted); do printf '%-22s ' $$name; sed -n 's/^# help: //p' scripts/$$(echo $$name | tr - _).sh; done; \
	    echo 'Variables: ARCHS="80 90a" (GPUs to make machine code for), CUDA_HOME=, NVCC=, CC= (tools), REVISION= (the commit, without .git), V=1 (show commands)'; \
	} 2>/dev/null || true
-include $(shell find build -name '*.d' 2>/dev/null)
