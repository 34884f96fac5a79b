# The CUDA Toolkit and the GPUs that machine code is made for. scripts/deps.sh finds what a goal needs and writes
# build/config.mk; only deps, demo, test and test-all let it install anything.
no_toolkit := help clean format data fuzz plots notes notes-check compare check-layout knn-torch knn-peers diff \
    drawings book book-test ex exercises bundle first-hour
# nvcc and scripts write temporary files, in build/ where the usual folder takes none.
temporary := $(shell [ -w "$${TMPDIR:-/tmp}" ] || { mkdir -p build/tmp && echo "TMPDIR=$$PWD/build/tmp"; })
$(if $(temporary),$(eval export $(temporary)))
letters := $(filter-out --%,$(firstword -$(MAKEFLAGS))) # of options without an argument
dry := $(findstring n,$(letters))$(findstring q,$(letters))
groups := $(if $(filter-out $(no_toolkit),$(goals)),cuda) \
          $(if $(filter deps plots test test-all,$(goals)),plots) $(if $(filter demo,$(goals)),figures report) \
          $(if $(filter notes notes-check drawings diff compare counters golden cold latency sass knn-paper tune \
              check-layout,$(goals)),report) \
          $(if $(filter deps test test-all test-sanitizers,$(goals)),test) \
          $(if $(filter deps test test-all,$(goals)),data) \
          $(if $(filter deps knn-paper build/knn_cpu,$(goals)),baselines)
check := $(if $(and $(filter deps demo test test-all,$(goals)),$(if $(dry),,may install)),,--check)
ifneq ($(strip $(groups)),)
$(shell $(temporary) CUDA_HOME='$(CUDA_HOME)' NVCC='$(NVCC)' CC='$(CC)' WHEELS='$(WHEELS)' \
    sh scripts/deps.sh $(check) $(groups) >&2)
$(if $(filter-out 0,$(.SHELLSTATUS)),$(error deps: see above))
endif
ifneq ($(filter cuda,$(groups)),)
include build/config.mk
archs_wanted := $(or $(ARCHS),$(shell sed -n 's/^archs //p' bundle.txt 2>/dev/null))
$(shell sh scripts/make/archs.sh '$(archs_wanted)' '$(CUDA_ARCHS)' '$(CUDA_VERSION)' >build/archs.mk.$$$$ && \
    mv build/archs.mk.$$$$ build/archs.mk)
include build/archs.mk
$(if $(refused),$(error $(refused)))
endif
$(if $(dry)$(wildcard build/flags bundle.txt),,$(shell sh scripts/make/first_build.sh '$(goals)' '$(gpu)' >&2))

, := ,
gencode_here := $(foreach a,$(filter-out 90a,$(archs)),-gencode arch=compute_$(a),code=sm_$(a)) \
                -gencode 'arch=compute_90a,code=[$(if $(filter 90a,$(archs)),sm_90a$(,))compute_90a]'
gencode_ptx := -gencode arch=compute_90a,code=compute_90a
gencode := $(gencode_here) $(addprefix -gencode arch=compute_,$(foreach a,$(portable),$(a),code=compute_$(a)))
# Of kernels that differ from f16's in tn in type or layout alone, and of those that Hopper hardly takes, so that their
# times are not predicted: without a GPU for the simulator only.
gencode_twin := $(if $(gpu)$(archs_wanted),$(gencode),$(gencode_ptx))
