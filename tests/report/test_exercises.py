"""Exercises that are a kernel of the course with a few lines changed, in a small tree."""

from support import Case, read, report, write

KERNEL = """/* What it is. */
#include "../shared.cuh"
#include "base/array.h"
void one() { run_add_one(); }
void two() {}
void three() {}
"""
PATCH = """--- add_one.cu
+++ exercise.cu
@@ -1,2 +1,3 @@
+/* Exercise: take two away. */
 #include "../step01_a/shared.cuh"
 #include "base/array.h"
@@ -3,3 +4,2 @@
 void one() { run_exercise(); }
-void two() {}
 void three() {}
"""
HANDED_OUT = """/* Exercise: take two away. */
#include "../step01_a/shared.cuh"
#include "base/array.h"
void one() { run_exercise(); }
void three() {}
"""


class Exercises(Case):
    def setUp(self):
        super().setUp()
        self.copy_the_code()
        write("", self.tmp, "step01_a/shared.cuh")
        write("family=gemm\nfrom=step01_a/b/add_one.cu\n", self.tmp, "exercises/01_one/exercise.txt")
        write("", self.tmp, "exercises/gemm.c")
        write(PATCH, self.tmp, "exercises/01_one/exercise.patch")

    def made(self, kernel):
        write(kernel, self.tmp, "step01_a/b/add_one.cu")
        return report("exercises", "my", "01_one", root=self.tmp)

    def handed_out(self, kernel):
        self.assertEqual(self.made(kernel).returncode, 0)
        return read(self.tmp, "my/01_one/exercise.cu")

    def test_a_kernel_with_its_changes(self):
        self.assertEqual(self.handed_out(KERNEL), HANDED_OUT)

    def test_the_kernel_may_change_elsewhere(self):
        changed = KERNEL.replace("it is.", "it is,\n * in two lines.").replace("void one", "void none() {}\nvoid one")
        self.assertEqual(self.handed_out(changed), HANDED_OUT.replace("void one", "void none() {}\nvoid one"))

    def test_but_not_where_the_exercise_changes_it(self):
        self.refused(self.made(KERNEL.replace("void two() {}", "void two();")), "exercises/01_one/exercise.patch",
                     "line 3", "step01_a/b/add_one.cu")

    def test_a_family_that_has_no_harness(self):
        write("from=step01_a/b/add_one.cu\n", self.tmp, "exercises/01_one/exercise.txt")
        self.refused(self.made(KERNEL), "exercises/01_one/exercise.txt", "family=")
