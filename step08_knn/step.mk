families_step08_knn := knn readers gemm
also_step08_knn := build/obj/step05_doublebuffer/best/best.cu.o
apart_step08_knn := build/obj/step08_knn/library/%
build/tests/knn/run: build/obj/step08_knn/paper/vote.cu.o

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
harness_knn := $(patsubst %,build/obj/step08_knn/%.o,search.c distance_direct.cu paper/vote.cu) \
    $(foreach f,knn readers gemv gemm core,build/lib/$(f).a)
