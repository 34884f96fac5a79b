apart_step06_tensorcore := build/obj/step06_tensorcore/tune/%
build/tests/steps/test_fragment: build/obj/step06_tensorcore/a_mma/fragment.c.o
build/tests/steps/test_persistent_plan: \
    $(addprefix build/obj/step06_tensorcore/,best/plan.c.o best/costs.c.o tune/fit.c.o)
