/* The files embedded in the binary, and how one builds on another: a file whose first line of code is
 *
 *   inherits = "sm_90"
 *
 * starts from the values of that file. GPUs build on their architecture, architectures on the one they differ least
 * from. Private to this folder. */
#ifndef SUBCORE_CONFIG_LAYER_H
#define SUBCORE_CONFIG_LAYER_H

#include "base/embed.h"
#include "config/config.h"

enum { LAYER_DEPTH = 4, LAYER_NAMES = 512, LAYER_FILE_LIMIT = 1 << 20 };

bool layer_is_path(const char *gpu); /* not the name of an embedded file */

const struct embedded *layer_find_gpu(const char *name); /* NULL when there is none */
const struct embedded *layer_find(const char *name);     /* a GPU or an architecture */

/* The names of all GPUs, or of all architectures, for a message. */
void layer_names(char out[LAYER_NAMES]);
void layer_architectures(char out[LAYER_NAMES]);

/* `depth` counts the files that build on this one. */
bool layer_apply(struct config *config, const struct embedded *file, unsigned depth, struct status *status);

/* Which file gives `section.key`: `file`, or the nearest one below it that has the key; its comment goes to `out`. NULL
 * when the value is the default. */
const struct embedded *layer_source(const struct embedded *file, const char *section, const char *key, char *out,
                                    size_t room);

#endif
