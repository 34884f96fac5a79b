/* Classification of records from files by their nearest neighbours: --train and related options. */
#pragma once

#include "bench/session.h"
#include "knn/knn.h"
#include "knn/knn_options.h"

/* Reads, scales, searches with each chosen method (the one named first, then in the order of the table), votes, prints
 * the quality of the predictions, and writes the requested files, which contain the first method's answer. Returns the
 * exit status. */
int knn_files_run(session *s, const knn_options *o, const knn_method *methods, int count);

/* knn_ranks.h's knn_file_rows, scaled as rank 0 scales them; ends the process after a line if it cannot read them. */
const float *knn_files_share(session *s, int first, int rows, float **room);
