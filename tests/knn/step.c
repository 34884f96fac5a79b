/* A step with one correct method, wrong ones, and ones that refuse. */
#include "knn/knn.h"

#include "faults.h"

static size_t workspace(const knn_problem *p, size_t limit) {
    return limit < 1000 ? 0 : 1000;
}

static const char *refuses(const knn_problem *p) {
    return p->workspace_bytes < 1000 ? "needs 0.001 MB" : p->k > 8 ? "takes k up to 8" : NULL;
}

static const char *nowhere(const device_facts *device) {
    return "needs what no device has";
}

kernel_info kernel_plain(void);

#define DECLARE(name) cudaError_t search_##name(const knn_problem *p, cudaStream_t stream);
FAULTS(DECLARE)

#define ROW(name_)                                                                                                     \
    {.name = #name_,                                                                                                   \
     .idea = "a fault",                                                                                                \
     .search = search_##name_,                                                                                         \
     .kernel = kernel_plain,                                                                                           \
     .workspace = workspace,                                                                                           \
     .exact = true},
static const knn_method methods[] = {
    {.name = "nowhere", .idea = "on no device", .search = search_plain, .kernel = kernel_plain, .supports = nowhere},
    {.name = "own",
     .idea = "sums from the last coordinate on, and says so",
     .search = search_descends,
     .kernel = kernel_plain},
    {.name = "own_wrong",
     .idea = "the same without the last point",
     .search = search_forgets_last,
     .kernel = kernel_plain},
    {.name = "up_to_8",
     .idea = "refuses",
     .search = search_plain,
     .kernel = kernel_plain,
     .refuses = refuses,
     .workspace = workspace,
     .exact = true},
    FAULTS(ROW)};

int main(int argc, char **argv) {
    return knn_step_main(argc, argv, "test_knn", methods, ARRAY_SIZE(methods));
}
