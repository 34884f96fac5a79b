build/tests/steps/test_fragment: build/obj/step06_tensorcore/a_mma/fragment.c.o
