/* The files embedded in the binary, and how one builds on another: a file whose first line of code is
 *
 *   inherits = "sm_90"
 *
 * starts from the values of that file. GPUs build on their architecture, architectures on the one they differ least
 * from. Private to this folder. */
#ifndef SUBCORE_CONFIG_LAYER_H
#define SUBCORE_CONFIG_LAYER_H

#include "base/embed.h"
#include "base/file.h"
#include "config/config.h"

enum { LAYER_DEPTH = 6, LAYER_NAMES = 512, LAYER_FILE_LIMIT = 1 << 20 };

bool layer_is_path(const char *gpu); /* not the name of an embedded file */

const struct embedded *layer_find_gpu(const char *name); /* NULL when there is none */
const struct embedded *layer_find(const char *name);     /* a GPU or an architecture */

/* Write the names of all GPUs, architectures or DRAM standards, for a message. */
void layer_names(char out[LAYER_NAMES]);
void layer_standards(char out[LAYER_NAMES]);
void layer_architectures(char out[LAYER_NAMES]);

/* `depth` counts the files that build on this one. */
bool layer_apply(struct config *config, const struct embedded *file, unsigned depth, struct status *status);

/* Returns the file that gives `section.key`: `file`, or the nearest one below it that has the key; for a number of a
 * DRAM standard also `standard`, the file that the nearest dram.kind names. Writes its comment to `out`. Returns NULL
 * if the value is the default. */
const struct embedded *layer_source(const struct embedded *file, const struct embedded *standard, const char *section,
                                    const char *key, char *out, size_t room);

/* DRAM standards: dram.kind names a file whose section [standard] has the numbers, embedded from configs/dram or one of
 * the user's. Its values take their place when the key is read; lines of [standard] behind it change single ones. */
enum { LAYER_PATH = 4096 };

/* Returns the embedded file of a standard, in upper or lower case. NULL if there is none. */
const struct embedded *layer_standard_find(const char *name);

/* Applies the standard that config->dram.kind names. A relative path begins at the folder of the file `beside`. Sets
 * `given` at the offsets of the options that the file has: reader_check_standard finds missing keys. */
bool layer_standard_apply(struct config *config, const char *beside, bool given[sizeof(struct config)],
                          struct status *status);
/* The same, of a file that has to give every number. */
bool layer_standard_replace(struct config *config, struct status *status);

/* Finds the text of the standard, for the sources of values. Free `bytes` with file_free. Returns false if there is no
 * such file. */
bool layer_standard_text(const char *kind, const char *beside, struct embedded *found, struct file_bytes *bytes);

#endif
