families_step09_conv := conv gemm
also_step09_conv := build/obj/step05_doublebuffer/best/best.cu.o \
    $(patsubst %,build/obj/step06_tensorcore/best/%.c.o,plan costs)
build/obj/step09_conv/best/half_bf16.cu.o: gencode := $(gencode_twin)
