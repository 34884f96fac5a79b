/* Classifying records of files by their nearest neighbours: --train and what belongs to it. */
#ifndef KL_KNN_FILES_H
#define KL_KNN_FILES_H

#include "bench/session.h"
#include "knn/knn.h"
#include "knn/knn_options.h"

/* Reads, encodes, searches with each chosen method (the one named first, then in the order of the table), votes, prints
 * what the votes are worth and how long each stage took, and writes the files that were asked for, which hold the first
 * method's answer. `memory`: bytes of device memory that may be taken. Returns the exit status. */
int knn_files_run(session *s, const knn_options *o, const knn_method *methods, int count, double memory);

#endif
