/* Experiments on real hardware: their code as files for `validate-gpu experiments`, and the words that it recorded. */
#ifndef SUBCORE_CLI_EXPERIMENT_FILES_H
#define SUBCORE_CLI_EXPERIMENT_FILES_H

#include "base/file.h"
#include "experiment/experiment.h"

/* A folder with one cubin for each experiment, and manifest.csv: a line for each row. */
struct experiment_folder {
    const char *path, *gpu;
    unsigned arch;
    struct file_output manifest;
    unsigned written, left_out;
};

bool experiment_folder_begin(struct experiment_folder *folder, const char *path, const char *gpu, unsigned arch,
                             struct status *status);
/* An experiment that is not written for the architecture is left out, and the manifest says so. */
bool experiment_folder_add(struct experiment_folder *folder, const struct experiment *e, struct status *status);
bool experiment_folder_end(struct experiment_folder *folder, struct status *status);

/* Records of a CSV file experiment,row,run,words. */
bool experiment_words_read(struct experiment_records *records, const char *path, struct status *status);
void experiment_words_free(struct experiment_records *records);
/* Whether there is one of this experiment. */
bool experiment_words_have(const struct experiment_records *records, const char *experiment);

#endif
