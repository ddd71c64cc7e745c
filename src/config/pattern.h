/* Keys of the tables settle.def and range.def. Private to this folder. */
#ifndef SUBCORE_CONFIG_PATTERN_H
#define SUBCORE_CONFIG_PATTERN_H

#include <stdbool.h>

/* Returns whether the key fits. A star in the pattern, at most one, stands for any letters. */
bool pattern_fits(const char *pattern, const char *key);

#endif
