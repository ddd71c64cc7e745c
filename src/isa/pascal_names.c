/* The names of pascal_names.def, for printer and assembler. */
#include "isa/pascal_rows.h"
#include "isa/syntax.h"

#include <stdio.h>
#include <string.h>

enum { VALUES = 32 };

struct names {
    const char *id;
    const char *name[VALUES];
};

static const struct names tables[] = {
#define NAMES(id, ...) {#id, {__VA_ARGS__}},
#include "isa/pascal_names.def"
};

bool pascal_name(const char *word, size_t length, unsigned value, char name[static PASCAL_NAME_TEXT])
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (strncmp(tables[i].id, word, length) != 0 || tables[i].id[length] != '\0')
            continue;
        const char *found = value < VALUES ? tables[i].name[value] : NULL;
        if (found)
            snprintf(name, PASCAL_NAME_TEXT, "%s", found);
        else
            snprintf(name, PASCAL_NAME_TEXT, "INVALID%u", value);
        return *name != '\0';
    }
    snprintf(name, PASCAL_NAME_TEXT, "%.*s", value ? (int)length : 0, word);
    return value != 0;
}

void pascal_special_name(unsigned value, char name[static PASCAL_NAME_TEXT])
{
    const char *other = "", *found = isa_value_name(NAMES_SPECIAL_75, value, &other);
    if (value >= 4 && value < 12)
        snprintf(name, PASCAL_NAME_TEXT, "SR_PM%u", value - 4);
    else if (value >= 72 && value < 80)
        snprintf(name, PASCAL_NAME_TEXT, "SR_PM_HI%u", value - 72);
    else if (found)
        snprintf(name, PASCAL_NAME_TEXT, "%s", found);
    else
        snprintf(name, PASCAL_NAME_TEXT, "%s%u", other, value);
}
