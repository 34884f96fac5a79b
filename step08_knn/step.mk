families_step08_knn := knn readers gemm
also_step08_knn := build/obj/step05_doublebuffer/best/best.cu.o
ranks_of := build/obj/step08_knn/ranks
apart_step08_knn := build/obj/step08_knn/library/% $(ranks_of)/mpi.c.o
rank_kernels := $(ranks_of)/merge.cu.o $(ranks_of)/generated.cu.o
build/tests/knn/run: build/obj/step08_knn/paper/vote.cu.o $(rank_kernels)

# The messages between ranks of mpirun, where Open MPI is installed; a run that is one of several loads it.
ranks := $(if $(shell mpicc --showme:version 2>/dev/null),build/step08/ranks.so)
$(if $(ranks),$(eval $(call program,$(ranks),$(ranks_of)/mpi.c.o,$(shell mpicc --showme:link 2>/dev/null),-shared)))
mpi_flags := $(patsubst -I%,-isystem %,$(shell mpicc --showme:compile 2>/dev/null))
$(ranks_of)/mpi.c.o: CFLAGS += $(mpi_flags)
step08_knn/run: | $(ranks)

# The methods for other languages: the whole step except main.
library := build/step08/libknn.so
$(eval $(call program,$(library),$(call objects,step08_knn/library) \
    $(filter-out %/step.c.o,$(call step_objects,step08_knn)),$(LDLIBS),-shared -Wl$(,)-z$(,)defs $(LDFLAGS)))

# The baselines on the CPU: OpenBLAS, and ANN if it is installed.
ann := $(if $(wildcard /usr/include/ANN/ANN.h /usr/local/include/ANN/ANN.h),-lann)
openblas_library ?= -lopenblas
$(eval $(call program,build/knn_cpu,$(patsubst %,build/obj/%.o,tests/baselines/knn_cpu.c tests/baselines/ann.cpp) \
    build/lib/knn.a build/lib/core.a,$(ann) $(openblas_library) $(LDLIBS)))

# Of the exercises' harness, exercises/knn.c: the searches that they call.
harness_knn := $(patsubst %,build/obj/step08_knn/%.o,search.c distance_direct.cu paper/vote.cu) $(rank_kernels) \
    $(foreach f,knn readers gemv gemm core,build/lib/$(f).a)
