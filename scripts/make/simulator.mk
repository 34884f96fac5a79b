# The simulator is a project of its own, cudasim/: its Makefile is asked where one of its sources is newer than what it
# made.
cudasim := $(MAKE) -C cudasim CUDA_HOME='$(CUDA_DIR)' NVCC='$(CUDA_NVCC)' CC='$(CC)' JOBS= $(if $(V),,-s)
sim := cudasim/build/libcudart.so.13
sim_all := cudasim/build/all/libcudart.so.13
sim_sources := $(wildcard cudasim/src/*/*.* cudasim/include/*.h) cudasim/Makefile
# It may find nothing to do, as where only a flag of the course has changed. The first of them makes what others share.
$(sim) $(sim_all) $(foreach s,asan tsan,cudasim/build/$(s)/libcudasim.a): $(sim_sources) build/flags
	+$(Q)$(cudasim) $(@:cudasim/%=%) && touch $@
$(sim_all) $(foreach s,asan tsan,cudasim/build/$(s)/libcudasim.a): | $(sim)
