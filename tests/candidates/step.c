/* Every configuration of step 7's autotuner as a variant of its own, for tests/gemv/test_gemv.sh: without a GPU the
 * step takes the first that fits, and its check list gives each configuration a small share of small problems. */
#include "../../step07_gemv/best.h"

static gemv_candidate candidates[BEST_CANDIDATES];
static gemv_variant variants[BEST_CANDIDATES];

int main(int argc, char **argv) {
    best_list(candidates);
    for (int i = 0; i < BEST_CANDIDATES; i++)
        variants[i] =
            (gemv_variant){.name = candidates[i].name, .idea = "", .candidates = &candidates[i], .candidate_count = 1};
    return gemv_step_main(argc, argv, "candidates", variants, BEST_CANDIDATES);
}
