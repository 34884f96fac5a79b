# The CUDA Toolkit and the GPUs that machine code is made for. scripts/deps.sh finds what a goal needs and writes
# build/config.mk; only deps, demo, test and test-all let it install anything.

no_toolkit := help clean format data fuzz plots notes notes-check compare check-layout knn-torch
installs := $(filter deps demo test test-all,$(goals))
letters := $(filter-out --%,$(firstword -$(MAKEFLAGS))) # of options without an argument
dry := $(findstring n,$(letters))$(findstring q,$(letters))
groups := $(if $(filter-out $(no_toolkit),$(goals)),cuda) \
          $(if $(filter deps demo plots test test-all,$(goals)),plots) \
          $(if $(filter notes notes-check compare counters cold sass knn-paper check-layout,$(goals)),report) \
          $(if $(filter deps test test-all test-sanitizers,$(goals)),test) \
          $(if $(filter deps knn-paper build/knn_cpu,$(goals)),baselines)
ifneq ($(strip $(groups)),)
$(shell CUDA_HOME='$(CUDA_HOME)' NVCC='$(NVCC)' CC='$(CC)' WHEELS='$(WHEELS)' \
    sh scripts/deps.sh $(if $(and $(installs),$(if $(dry),,yes)),,--check) $(groups) >&2)
ifneq ($(.SHELLSTATUS),0)
$(error deps: see above)
endif
endif

ifneq ($(filter cuda,$(groups)),)
include build/config.mk
# What check-archs compiles for: those of these that this nvcc knows.
known := $(CUDA_ARCHS) $(addsuffix a,$(filter-out 7% 8%,$(CUDA_ARCHS)))
wanted := $(or $(sort $(ARCHS)),75 80 86 89 90a 100a 120)
checked := $(filter $(known),$(wanted))
unknown := $(filter-out $(known),$(wanted))
left_out := $(if $(unknown),; nvcc $(CUDA_VERSION) does not know $(addprefix sm_,$(unknown)))
gpu := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ')
portable :=
ifeq ($(strip $(ARCHS)),)
# 9.0, 10.0 and 12.0 become the names with all of the GPU's features; what this nvcc does not know runs from PTX.
override ARCHS := $(or $(patsubst 90,90a,$(patsubst 100,100a,$(filter $(CUDA_ARCHS),$(gpu)))),90a)
portable := $(if $(filter-out $(CUDA_ARCHS),$(gpu)),90)
endif
override ARCHS := $(sort $(ARCHS))
ifneq ($(filter-out $(known),$(ARCHS)),)
$(error ARCHS: unknown '$(filter-out $(known),$(ARCHS))'; nvcc $(CUDA_VERSION) makes code for $(strip $(known)))
endif
portable := $(or $(portable),$(filter-out %a,$(shell printf '%s\n' $(ARCHS) | sort -n | tail -n 1)))
endif

, := ,
gencode_here := $(foreach a,$(filter-out 90a,$(ARCHS)),-gencode arch=compute_$(a),code=sm_$(a)) \
                -gencode 'arch=compute_90a,code=[$(if $(filter 90a,$(ARCHS)),sm_90a$(,))compute_90a]'
gencode := $(gencode_here) $(addprefix -gencode arch=compute_,$(foreach a,$(portable),$(a),code=compute_$(a)))

# The first build says about how long it will take, from seconds of one core; a step's longest file takes the last.
first_step := 20
first_steps := 180
first_sim := 40
first_tests := 500
first_file := 15
ifeq ($(dry)$(wildcard build/flags),)
many := $(filter all demo test test-all bench-sim,$(goals))
some := $(filter step%,$(goals))
first := $(if $(many),$(first_steps),$(some:%=$(first_step))) $(if $(filter test test-all,$(goals)),$(first_tests)) \
         $(if $(or $(filter sim test test-all bench-sim,$(goals)),$(if $(gpu),,$(many)$(some))),$(first_sim))
ifneq ($(strip $(first)),)
cores := $(shell nproc 2>/dev/null || echo 1)
seconds := $(shell s=$$((($(subst $() $(),+,$(strip $(first)))) / $(cores))); \
    echo $$((s > $(first_file) ? s : $(first_file))))
$(info The first build takes about $(seconds) s on $(cores) cores; later ones build what has changed.)
endif
endif
