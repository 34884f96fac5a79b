# kernel-ladder. `make help` lists the targets; V=1 shows the commands.
#
# ARCHS="80 89 90a": GPUs to generate machine code for (default: the one in this machine, else 90a, as
# scripts/make/archs.sh has it).
# CUDA_HOME, NVCC, CC: the toolkit and the C compiler to use instead of those that scripts/deps.sh finds.
# REVISION=1a2b3c4: the commit that records name, for a copy of the tree without its .git.

goals := $(or $(MAKECMDGOALS),all)
MAKEFLAGS += --no-builtin-rules --no-print-directory
# Use all cores unless -j says otherwise.
$(if $(filter -j%,$(MAKEFLAGS)),,$(eval MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)))
.DELETE_ON_ERROR .SUFFIXES:
$(if $(filter clean,$(goals)),$(eval .NOTPARALLEL:)) # clean must finish before anything else is built
Q := $(if $(V),,@)
CC := $(if $(filter default,$(origin CC)),gcc,$(CC))

# ---- what was asked for ----------------------------------------------------------------------------------------------
steps := $(patsubst %/step.c,%,$(wildcard step[0-9][0-9]_*/step.c))
number = $(firstword $(subst _, ,$(1)))
# Goals that run a script, whose line `# help: ` describes them.
scripted := test-gpu sanitize fuzz bench knn-paper knn-torch knn-peers knn-ranks errors counters golden cold latency \
    sass data ptx other-languages sim-counters timeline book book-test ex exercises bundle first-hour lint tune \
    random-shapes
named := $(scripted) all sim sim-all deps demo test test-all test-sanitizers test-tuned check-layout check-archs \
    bench-sim cutlass predict-check plots notes notes-check drawings diff compare profile format clean help
named += $(foreach s,$(steps),$(call number,$(s)))
is_file = $(findstring /,$(1))$(findstring .,$(1))
unknown := $(firstword $(foreach g,$(filter-out $(named),$(goals)),$(if $(call is_file,$(g)),,$(g))))
$(if $(unknown),$(error $(shell sh scripts/make/no_goal.sh '$(unknown)' $(named))))
$(if $(filter profile,$(goals)),$(if $(STEP),,$(error profile: STEP is not set, e.g. make profile STEP=step04)))
$(if $(filter compare,$(goals)),$(if $(and $(A),$(B)),,$(error compare: A and B are not both set, \
    e.g. make compare A=old.csv B=plots/data/nvidia-h200/sgemm.csv)))
$(if $(filter cutlass,$(goals)),$(if $(wildcard $(CUTLASS_HOME)/include/cutlass/cutlass.h),,$(error cutlass: \
    CUTLASS_HOME names no copy of CUTLASS, e.g. make cutlass CUTLASS_HOME=../cutlass)))
$(if $(and $(filter bench-sim,$(goals)),$(RUNS)),$(if $(shell echo '$(RUNS)' | grep -x '[1-9][0-9]*'),, \
    $(error bench-sim: RUNS=$(RUNS) is not a count)))

include scripts/make/toolkit.mk scripts/make/build.mk

# ---- the parts of a step ---------------------------------------------------------------------------------------------
build/lib/core.a: $(call objects,common/base common/gpu common/tensor common/bench)
# An archive for each family, and for what else not every step needs.
families := $(filter-out base gpu tensor bench ptx,$(patsubst common/%/,%,$(wildcard common/*/)))
$(foreach m,$(families),$(eval build/lib/$(m).a: $(call objects,common/$(m))))

build/gpu/devices.inc: common/gpu/devices.csv scripts/make/devices.awk
	@mkdir -p $(@D); awk -f scripts/make/devices.awk $< >$@.$$$$ && mv $@.$$$$ $@ || { rm -f $@.$$$$; exit 1; }
build/obj/common/gpu/peaks.c.o: CPPFLAGS += -Ibuild
build/obj/common/gpu/peaks.c.o: build/gpu/devices.inc

# What one step alone needs lies in its step.mk, for a step NAME: families_NAME, the families that it is of (gemm);
# also_NAME, further objects; apart_NAME, patterns of objects that are no part of its program; libs_NAME, libraries.
step_objects = $(filter-out $(apart_$(1)),$(call objects,$(1))) $(also_$(1)) \
    $(foreach f,$(or $(families_$(1)),gemm) core,build/lib/$(f).a)
include $(wildcard $(addsuffix /step.mk,$(steps)))
$(foreach s,$(steps),$(eval $(call program,$(s)/run,$(call step_objects,$(s)),$(LDLIBS) $(libs_$(s)))))

# Every plan of step 6's best as a variant (make tune).
plans := build/tune/run
$(eval $(call program,$(plans),$(filter-out %/step.c.o,$(call objects,step06_tensorcore)) \
    $(foreach l,gemm core,build/lib/$(l).a),$(LDLIBS)))

include scripts/make/simulator.mk scripts/make/tests.mk
# An archive has these linked.
modules := $(addprefix common/,base gpu tensor bench $(families))
$(if $(wildcard bundle.txt),$(eval .SECONDARY: $(call objects,$(modules))))

# EX="my/NN_name", from scripts/ex.sh: each linked with its harness, exercises/FAMILY.c; warnings are no errors.
# EX_CODE: -gencode options in place of the usual ones, for tests, which do not wait for host code to be optimised.
exercise_objects = build/obj/$(1)/exercise.cu.o build/obj/exercises/$(2).c.o \
    $(or $(harness_$(2)),build/lib/$(2).a build/lib/core.a)
family_of = $(shell sed -n 's/^family=//p' exercises/$(notdir $(1))/exercise.txt)
define exercise
build/obj/$(1)/exercise.cu.o: NVCCFLAGS := $(if $(EX_CODE),,-O1) -std=c++17 -lineinfo --no-compress \
    $(no_specfun) -Xcompiler -fPIC,-fvisibility=hidden,-fno-exceptions
$(if $(EX_CODE),build/obj/$(1)/exercise.cu.o: gencode := $(EX_CODE))
$(call program,build/$(1)/run,$(call exercise_objects,$(1),$(call family_of,$(1))),$(LDLIBS) $(gold))
endef
$(foreach e,$(EX),$(eval $(call exercise,$(e))))

$(linked):
	$(call say,link  $@)
	$(Q)$(aside) $(CC) $(link_flags) -o $@ -Wl,--start-group $(filter-out cudasim/build/%,$(filter %.o %.a,$^)) \
	    -Wl,--end-group $(link_libs)

# ---- goals -----------------------------------------------------------------------------------------------------------
kernels := $(patsubst build/obj/%.cu.o,%,$(filter %.cu.o,$(call objects,$(steps) tests/gemm)))
.DEFAULT_GOAL := all
.PHONY: $(named) cudasim-tests style compile_commands.json FORCE
# Said at the end of what was asked for, not by what other goals and scripts build on their way.
ready = @$(if $(and $(filter 0,$(MAKELEVEL)),$(filter $@,$(goals))),echo "$(1)",:)

all: $(foreach s,$(steps),$(call number,$(s))) ## build every step (the default), and the simulator if there is no GPU
	$(call ready,every step is up to date; try: ./$(call number,$(firstword $(steps)))/run)
sim: $(sim) ## build the simulator for this machine: cudasim/build/libcudart.so.13
	$(call ready,$< is up to date)
sim-all: $(sim_all) ## the same for every instruction set: cudasim/build/all/libcudart.so.13
	$(call ready,$< is up to date)

# stepNN: ## build one step: stepNN_name/run, with a link stepNN to its folder
define step_goal
.PHONY: $(call number,$(1))
$(call number,$(1)): $(1)/run $(if $(gpu),,$(sim))
	@ln -sfn $(1) $(call number,$(1))
	$$(call ready,$(call number,$(1)) is up to date; try: ./$(call number,$(1))/run)
endef
$(foreach s,$(steps),$(eval $(call step_goal,$(s))))

cutlass: build/cutlass/run ## build CUTLASS's own kernels, to be timed beside step 6: CUTLASS_HOME=../cutlass
	$(call ready,$< is up to date; try: $< --size 4096)
deps: ## find what everything needs and install what is missing (WHEELS=1: CUDA's Python wheels)
	@echo "CUDA $(CUDA_VERSION) in $(CUDA_DIR), $(shell $(CC) --version | head -n 1), gnuplot, cmocka, OpenBLAS, numpy:" \
	    "here"
	$(if $(ranks),,@echo "no Open MPI: step 8 runs on one GPU (apt-get install libopenmpi-dev openmpi-bin)")
	@echo "machine code: $(addprefix sm_,$(archs)); PTX: compute_90a$(addprefix $(,) compute_,$(portable))"
demo: all ; @sh scripts/demo.sh ## show everything the project does, in small, with or without a GPU
test_programs := $(tests) $(test_steps) $(gpu_test) $(tensorcore_test) $(bits_test) $(plans) $(conv_best_tests) \
    $(begin) $(library)
sanitized_sim := $(foreach s,asan tsan,cudasim/build/$(s)/libcudasim.a)
cudasim-tests: | $(sim) $(if $(filter test-all,$(goals)),$(sim_all) $(sanitized_sim))
	+$(Q)$(cudasim) $(if $(filter test-all,$(goals)),tests-all,tests)
test: all $(test_programs) cudasim-tests check-layout ## build all and run every test (with a GPU also test-gpu)
	@sh scripts/tests/run_tests.sh
test-all: all $(test_programs) cudasim-tests $(sanitized) check-layout ## longer lists, all instruction sets, sanitizers
	@KL_TEST_ALL=1 sh scripts/tests/run_tests.sh
test-sanitizers: $(sanitized) ## steps, readers and the simulator's own tests under ASan, UBSan, TSan
	+@sh tests/scripts/test_sanitizers.sh && $(cudasim) test-sanitizers
test-tuned: ; @sh tests/gpu/tuned.sh ## is step 7's best ever slower than another variant? (SHAPES=, SEED=)
check-layout: $(if $(filter cuda,$(groups)),$(sim)) ## check the order of includes and calls, sizes of files and folders
	@python3 scripts/check_layout.py
bench-sim: all $(sim) ## time the simulator and compare with its targets (RUNS=5)
	+@python3 -B scripts/simulator/bench_sim.py && $(cudasim) bench
predict-check: all $(sim) ## hold predicted times against the recorded ones of two GPUs (needs nvdisasm: deps WHEELS=1)
	@python3 -B scripts/simulator/predict_check.py nvidia-h200 nvidia-h100

ifneq ($(filter lint,$(goals)),)
include scripts/make/lint.mk
endif
ex: ; @sh scripts/ex.sh || [ $$? = 1 ] # what is not yet solved is no error of make's
$(filter-out ex lint,$(scripted)): ; @sh $(wildcard scripts/$(subst -,_,$@).sh scripts/*/$(subst -,_,$@).sh)
notes: ; @python3 -B -m report notes ## update the numbers in the notes from the recorded measurements
notes-check: ; @python3 -B -m report notes --check ## fail if a number in the notes differs from the recorded one
drawings: ; @python3 -B -m report drawings ## draw docs/img anew: from the kernels' source and the recorded measurements
# The code without comments, with the headers of the step that it includes; a kernel's own name is no change.
diff: ; @python3 -B -m report diff "$(A)" "$(B)" ## what changes between two rungs' kernels: A=lds128 B=lds128_2x2
given = $(if $(filter command%,$(origin $(1))),$(2) '$($(1))')
plots: ## draw the figures from the recorded measurements (TERM=dumb: in the terminal; DEVICE=nvidia-h100: that GPU's)
	@sh scripts/plots.sh $(call given,TERM,--term) $(call given,DEVICE,--device)
compare: ; @python3 -B -m report compare "$(A)" "$(B)" ## compare two recorded files: A=old.csv B=new.csv
profile: ## run Nsight Compute on a step: STEP=step04 [VARIANT=] [SIZE=4096]
	@sh scripts/profile.sh "$(STEP)" "$(VARIANT)" "$(SIZE)"
check-archs: $(patsubst %,build/archs/%.o,$(kernels)) ## compile every kernel for every architecture (or ARCHS=)
	@echo "every kernel compiles for $(addprefix sm_,$(checked))$(left_out)"
build/archs/%.o: %.cu build/flags
	$(call say,nvcc  $< ($(checked)))
	$(Q)$(compile_cuda)
build/archs/%.o: gencode = $(foreach a,$(checked),-gencode arch=compute_$(a),code=sm_$(a))
compile_commands.json: ## tell editors (clangd) how each file is compiled
	@{ $(MAKE) -Bn V=1 cudasim=: all $(test_programs); echo cd cudasim; $(cudasim) -Bn V=1 all tests; } | \
	    python3 scripts/make/compile_commands.py "$(CUDA_DIR)" >$@
format: ; @sh scripts/lint.sh --format ## run clang-format on every .c, .h, .cu and .cuh
clean: ## remove what was built, except for the toolkit in build/cuda
	@rm -rf $(filter-out build/cuda,$(wildcard build/*)) cudasim/build step[0-9][0-9]_*/run compile_commands.json
	@for link in step[0-9][0-9]; do if [ -L "$$link" ]; then rm "$$link"; fi; done; rmdir build 2>/dev/null || true
help: ## list the targets
	@sh scripts/make/help.sh $(scripted)
-include $(shell find build -name '*.d' 2>/dev/null)
