# The simulator is a project of its own, cudasim/: its Makefile is asked where one of its sources is newer than what it
# made.
# A path in the course's folder, such as that of the wheels in build/cuda, from any other folder.
from_here = $(if $(filter /%,$(firstword $(1))),,$(CURDIR)/)$(1)
cudasim := $(MAKE) -C cudasim CUDA_HOME='$(call from_here,$(CUDA_DIR))' \
    NVCC='$(call from_here,$(CUDA_NVCC))' CC='$(CC)' JOBS= $(if $(V),,-s)
sim := cudasim/build/libcudart.so.13
sim_all := cudasim/build/all/libcudart.so.13
sim_sources := $(wildcard cudasim/src/*/*.* cudasim/include/*.h cudasim/devices/*) cudasim/Makefile
# It may find nothing to do, as where only a flag of the course has changed. The first of them makes what others share.
$(sim) $(sim_all) $(foreach s,asan tsan,cudasim/build/$(s)/libcudasim.a): $(sim_sources) build/flags
	+$(Q)$(cudasim) $(@:cudasim/%=%) && touch $@
$(sim_all) $(foreach s,asan tsan,cudasim/build/$(s)/libcudasim.a): | $(sim)
