/* Where the values that are assumed may lie: range.def, applied to a configuration. */
#ifndef SUBCORE_CONFIG_RANGE_H
#define SUBCORE_CONFIG_RANGE_H

#include "config/source.h"

enum { CONFIG_ENDS = 3, CONFIG_END_SETS = 4, CONFIG_ASSIGNMENT = CONFIG_VALUE + 64 };

/* Another plausible value of a key, with the changes beside it. */
struct config_end {
    char value[CONFIG_VALUE]; /* as it stands in a file */
    unsigned sets;
    char set[CONFIG_END_SETS][CONFIG_ASSIGNMENT]; /* as config_set takes them, that of the key first */
};

struct config_range {
    const char *why;
    bool used;      /* the GPU has the structure that the value is of */
    unsigned rules; /* ends that the table names, those among them that are the value itself included */
    unsigned count; /* ends that differ from the value; of a GPU without the structure none */
    struct config_end end[CONFIG_ENDS];
};

/* Returns whether range.def has a row for the key, and then its value for `config`. */
bool config_range_find(const struct config *config, const char *section, const char *key, struct config_range *range);

/* Writes the ends as "0.5 or 2"; "" where there are none. */
enum { CONFIG_RANGE_TEXT = CONFIG_ENDS * (CONFIG_VALUE + 8) };
void config_range_text(const struct config_range *range, char out[static CONFIG_RANGE_TEXT]);

#endif
