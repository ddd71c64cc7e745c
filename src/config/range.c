#include "config/range.def"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "config/gpcs.h"
#include "config/option.h"
#include "config/pattern.h"
#include "config/range.h"

enum { TERM = 128, SECTION = 32, KEY = 64 };

struct row {
    const char *section, *key;
    unsigned from, to; /* architectures that have the structure */
    const char *ends, *why;
};

static const struct row *find_row(const char *section, const char *key)
{
    enum {
#define X(part, first, last) FROM_##part = (first), TO_##part = (last),
        CONFIG_PARTS(X)
#undef X
    };
    static const struct row rows[] = {
#define X(section, key, part, ends, why) {#section, key, FROM_##part, TO_##part, ends, why},
        CONFIG_RANGES(X)
#undef X
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].section, section) == 0 && pattern_fits(rows[i].key, key))
            return &rows[i];
    return NULL;
}

/* Copies the text before the mark, without the spaces around it, and returns the text behind (NULL: there is no
 * mark). */
static const char *cut(const char *from, char mark, char out[static TERM])
{
    const char *end = strchr(from, mark);
    size_t length = end ? (size_t)(end - from) : strlen(from);
    while (length > 0 && from[length - 1] == ' ')
        length--;
    size_t spaces = strspn(from, " ");
    spaces = spaces < length ? spaces : length;
    length -= spaces;
    assert(length < TERM);
    memcpy(out, from + spaces, length);
    out[length] = '\0';
    return end ? end + 1 : NULL;
}

/* A product lacks its TPCs elsewhere: the last GPC gives one to the first that has less than the fullest. */
static void move_tpc(const struct config *config, char out[static OPTION_VALUE])
{
    struct gpcs gpcs;
    struct status status = {0};
    uint32_t most = 0, first = 0, tpc = config->gpu.sms_per_tpc;
    bool ok = gpcs_parse(&gpcs, &config->gpu, &status);
    for (uint32_t i = 0; ok && i < gpcs.count; i++)
        most = gpcs.sms[i] > most ? gpcs.sms[i] : most;
    while (ok && first + 1 < gpcs.count && gpcs.sms[first] == most)
        first++;
    if (ok && first + 1 < gpcs.count && gpcs.sms[gpcs.count - 1] > tpc) {
        gpcs.sms[first] += tpc;
        gpcs.sms[gpcs.count - 1] -= tpc;
    }
    size_t used = (size_t)snprintf(out, OPTION_VALUE, "\"");
    for (uint32_t i = 0; ok && i < gpcs.count && used < OPTION_VALUE; i++)
        used += (size_t)snprintf(out + used, OPTION_VALUE - used, "%s%u", i ? " " : "", gpcs.sms[i]);
    if (used < OPTION_VALUE)
        snprintf(out + used, OPTION_VALUE - used, "\"");
}

/* Applies "x2", "+1" or "-1" to a value, within the limits of its key. */
static void change(const struct option *option, const struct config *config, const char *term,
                   char out[static OPTION_VALUE])
{
    bool whole = option->kind == OPTION_UINT;
    double value = whole ? option_uint(option, config) : option_real(option, config), by = strtod(term + 1, NULL);
    value = *term == 'x' ? value * by : *term == '+' ? value + by : value - by;
    value = whole ? round(value) : value;
    value = value < option->low ? option->low : value > option->high ? option->high : value;
    number_format(value, whole ? 17 : 6, out);
}

/* Writes a term's result for a key's value, as it stands in a file. */
static void apply(const struct option *option, const struct config *config, const char *term,
                  char out[static OPTION_VALUE])
{
    if (strcmp(term, "uneven") == 0)
        move_tpc(config, out);
    else if (strchr("x+-", *term))
        change(option, config, term, out);
    else
        snprintf(out, OPTION_VALUE, "%s", term);
}

static void add_set(struct config_end *end, const char *section, const char *key, const char *value)
{
    assert(end->sets < CONFIG_END_SETS);
    snprintf(end->set[end->sets++], CONFIG_ASSIGNMENT, "%s.%s=%s", section, key, value);
}

/* Changes beside the key: "l2.latency +16". */
static void add_beside(struct config_end *end, const struct config *config, const char *words)
{
    char name[TERM], section[TERM], value[OPTION_VALUE];
    const char *term = cut(words, ' ', name), *key = cut(name, '.', section);
    const struct option *option = term && key ? option_find(section, key) : NULL;
    assert(option);
    apply(option, config, term + strspn(term, " "), value);
    add_set(end, section, key, value);
}

bool config_range_find(const struct config *config, const char *section, const char *key, struct config_range *range)
{
    const struct row *row = find_row(section, key);
    const struct option *option = option_find(section, key);
    char now[OPTION_VALUE], value[OPTION_VALUE], words[TERM], term[TERM];
    *range = (struct config_range){0};
    if (!row || !option)
        return false;
    range->why = row->why;
    range->used = config->gpu.architecture >= row->from && config->gpu.architecture <= row->to;
    option_format(option, config, now);
    for (const char *at = row->ends[0] ? row->ends : NULL; at;) {
        struct config_end *end = &range->end[range->count];
        at = cut(at, '|', words);
        const char *more = cut(words, ',', term);
        assert(range->rules < CONFIG_ENDS);
        *end = (struct config_end){0};
        apply(option, config, term, value);
        snprintf(end->value, sizeof end->value, "%s", value);
        add_set(end, section, key, value);
        while (more) {
            more = cut(more, ',', term);
            add_beside(end, config, term);
        }
        range->rules++;
        range->count += range->used && strcmp(value, now) != 0;
    }
    return true;
}

void config_range_text(const struct config_range *range, char out[static CONFIG_RANGE_TEXT])
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < range->count && used < CONFIG_RANGE_TEXT; i++)
        used += (size_t)snprintf(out + used, CONFIG_RANGE_TEXT - used, "%s%s",
                                 i == 0                 ? ""
                                 : i + 1 < range->count ? ", "
                                                        : " or ",
                                 range->end[i].value);
}
