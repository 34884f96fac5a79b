build/tests/steps/test_fragment: build/obj/step06_tensorcore/a_mma/fragment.c.o
build/tests/steps/test_persistent_plan: build/obj/step06_tensorcore/best/plan.c.o
