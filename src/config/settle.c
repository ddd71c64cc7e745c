#include "config/settle.def"

#include <string.h>

#include "config/pattern.h"
#include "config/source.h"

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
        if (strcmp(rows[i].section, section) == 0 && pattern_fits(rows[i].key, key))
            return rows[i].text;
    return NULL;
}
