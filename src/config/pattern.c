#include "config/pattern.h"

#include <string.h>

bool pattern_fits(const char *pattern, const char *key)
{
    const char *star = strchr(pattern, '*');
    if (!star)
        return strcmp(pattern, key) == 0;
    size_t before = (size_t)(star - pattern), behind = strlen(star + 1), length = strlen(key);
    return length >= before + behind && strncmp(pattern, key, before) == 0 &&
           strcmp(key + length - behind, star + 1) == 0;
}
