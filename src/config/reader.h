/* Reads a configuration file: sections, `key = value`, comments from a # on. Private to this folder. */
#ifndef SUBCORE_CONFIG_READER_H
#define SUBCORE_CONFIG_READER_H

#include "config/config.h"

/* `name` stands before the line number in errors. `depth` counts the files that inherit this one. */
bool reader_apply(struct config *config, const char *name, const char *text, size_t size, unsigned depth,
                  struct status *status);

/* The same of a file that has a section [standard] only. Sets `given` at the offset of each option that it has. */
bool reader_apply_standard(struct config *config, const char *name, const char *text, size_t size,
                           bool given[sizeof(struct config)], struct status *status);

/* Returns whether every option of [standard] is given; else `status` names the standard's file and the key. */
bool reader_check_standard(const struct config *config, const bool given[sizeof(struct config)], struct status *status);

/* The name that the text inherits from; false when it inherits from none. */
bool reader_inherits(const char *text, size_t size, char out[CONFIG_TEXT]);

/* The comment behind `section.key` in `text`, which reader_apply has accepted. Empty when the key is not there or has
 * no comment. Returns whether the key is there. */
bool reader_comment(const char *text, size_t size, const char *section, const char *key, char *out, size_t room);

#endif
