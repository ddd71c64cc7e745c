#include "config/settle.def"

#include <string.h>

#include "config/source.h"

/* At most one star. */
static bool fits(const char *pattern, const char *key)
{
    const char *star = strchr(pattern, '*');
    if (!star)
        return strcmp(pattern, key) == 0;
    size_t before = (size_t)(star - pattern), behind = strlen(star + 1), length = strlen(key);
    return length >= before + behind && strncmp(pattern, key, before) == 0 &&
           strcmp(key + length - behind, star + 1) == 0;
}

const char *config_settled_by(const char *section, const char *key)
{
    static const struct {
        const char *section, *key, *text;
    } rows[] = {
#define X(section, key, text) {#section, key, text},
        CONFIG_SETTLES(X)
#undef X
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].section, section) == 0 && fits(rows[i].key, key))
            return rows[i].text;
    return NULL;
}
