families_step09_conv := conv gemm
also_step09_conv = build/obj/step05_doublebuffer/best/best.cu.o \
    $(filter-out %/best.cu.o %/tf32x3.cu.o,$(call objects,step06_tensorcore/best))
build/obj/step09_conv/best/half_bf16.cu.o: gencode := $(gencode_twin)
