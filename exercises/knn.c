/* The harness of the exercises on nearest neighbours: step 8's squared differences, then the selection that the
 * reader's exercise.cu defines, or else the whole search, search_exercise. */
#include "../step08_knn/search.h"

extern const knn_selector knn_select_exercise __attribute__((weak));
cudaError_t search_exercise(const knn_problem *p, cudaStream_t stream) __attribute__((weak));

static cudaError_t search(const knn_problem *p, cudaStream_t stream) {
    return knn_search_parts(&knn_distance_direct, &knn_select_exercise, p, stream);
}
static size_t workspace(const knn_problem *p, size_t limit) {
    return knn_search_workspace(&knn_distance_direct, &knn_select_exercise, p, limit);
}
static const char *refuses(const knn_problem *p) {
    return knn_search_refuses(&knn_distance_direct, &knn_select_exercise, p);
}

int main(int argc, char **argv) {
    const knn_method selection = {.name = "exercise",
                                  .idea = "what you edit",
                                  .search = search,
                                  .kernel = knn_distance_direct.kernel,
                                  .refuses = refuses,
                                  .workspace = workspace,
                                  .exact = true};
    const knn_method whole = {.name = "exercise", .idea = "what you edit", .search = search_exercise, .exact = true};
    const knn_method methods[] = {search_exercise != NULL ? whole : selection};
    return knn_step_main(argc, argv, "exercise", methods, ARRAY_SIZE(methods));
}
