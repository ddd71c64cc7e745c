/* The table of all options, expanded from options.def, and the values as text. Private to this folder. */
#ifndef SUBCORE_CONFIG_OPTION_H
#define SUBCORE_CONFIG_OPTION_H

#include "config/source.h"

enum option_kind { OPTION_UINT, OPTION_REAL, OPTION_BOOL, OPTION_TEXT, OPTION_ENUM };

struct option {
    const char *key, *unit, *sentence;
    enum option_kind kind;
    size_t offset;                               /* of the field in struct config */
    double low, high;                            /* UINT and REAL; of an ENUM the first and the last word */
    double number;                               /* default of UINT, REAL, BOOL and ENUM */
    const char *text;                            /* default of TEXT */
    const char *const *words, *const *summaries; /* of an ENUM */
};

struct option_section {
    const char *name;
    const struct option *options;
    size_t count;
};

enum {
#define OPTION_COUNT(section) OPTION_SECTION_##section,
    CONFIG_SECTIONS(OPTION_COUNT)
#undef OPTION_COUNT
        OPTION_SECTIONS,
    OPTION_VALUE = CONFIG_VALUE /* room for any value as text */
};

struct option_section option_section(size_t index); /* 0..OPTION_SECTIONS-1, in the order of options.def */
bool option_section_exists(const char *section);
const struct option *option_find(const char *section, const char *key); /* NULL when there is none */

void option_default(const struct option *option, struct config *config);

/* Returns false if `value` is not of the option's type or out of its range; option_expectation describes a right
 * one. */
bool option_parse(const struct option *option, const char *value, struct config *config);
void option_expectation(const struct option *option, char *out, size_t size);

/* The value as option_parse reads it back to the same bits. */
void option_format(const struct option *option, const struct config *config, char out[OPTION_VALUE]);

void option_json(const struct option *option, const struct config *config, struct json *json, const char *key);

uint32_t option_uint(const struct option *option, const struct config *config);
double option_real(const struct option *option, const struct config *config);
bool option_bool(const struct option *option, const struct config *config);
const char *option_text(const struct option *option, const struct config *config); /* of an ENUM the word */

/* Returns the meaning of an ENUM's word. Empty if the sentence of the key says it. */
const char *option_summary(const struct option *option, const struct config *config);

#endif
