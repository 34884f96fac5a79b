/* Every configuration of step 7's autotuner as a variant of its own, for tests/test_gemv.sh: without a GPU the step
 * takes the first that fits, and its check list gives each configuration a small share of small problems. */
#include "../../step07_gemv/autotuned.h"

static gemv_candidate candidates[AUTOTUNED_CANDIDATES];
static gemv_variant variants[AUTOTUNED_CANDIDATES];

int main(int argc, char **argv) {
    autotuned_list(candidates);
    for (int i = 0; i < AUTOTUNED_CANDIDATES; i++)
        variants[i] =
            (gemv_variant){.name = candidates[i].name, .idea = "", .candidates = &candidates[i], .candidate_count = 1};
    return gemv_step_main(argc, argv, "candidates", variants, AUTOTUNED_CANDIDATES);
}
