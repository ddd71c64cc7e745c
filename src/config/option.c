#include "config/option.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

#define FIRST(text, ...) text
#define SECOND(text, summary, ...) summary
#define SET_TEXT(constant, ...) FIRST(__VA_ARGS__, ),
#define SET_SUMMARY(constant, ...) SECOND(__VA_ARGS__, "", ),
#define SET_WORDS(set, WORDS)                                                                                          \
    static const char *const words_##set[] = {WORDS(SET_TEXT)};                                                        \
    static const char *const summaries_##set[] = {WORDS(SET_SUMMARY)};                                                 \
    static_assert(sizeof(enum config_##set) == sizeof(uint32_t), "an ENUM is stored like a UINT");                     \
    const char *config_##set##_text(enum config_##set value) { return words_##set[value]; }
CONFIG_SETS(SET_WORDS)

/* One function a section returns its table. `self` and `base` stand for the section's struct and its place. */
#define ENTRY_UINT(field, unit, low, high, value, sentence)                                                            \
    {#field, unit, sentence, OPTION_UINT, base + offsetof(self, field), low, high, value, NULL, NULL, NULL},
#define ENTRY_REAL(field, unit, low, high, value, sentence)                                                            \
    {#field, unit, sentence, OPTION_REAL, base + offsetof(self, field), low, high, value, NULL, NULL, NULL},
#define ENTRY_BOOL(field, value, sentence)                                                                             \
    {#field, "", sentence, OPTION_BOOL, base + offsetof(self, field), 0, 1, value, NULL, NULL, NULL},
#define ENTRY_TEXT(field, value, sentence)                                                                             \
    {#field, "", sentence, OPTION_TEXT, base + offsetof(self, field), 0, 0, 0, value, NULL, NULL},
#define ENTRY_ENUM(field, set, value, sentence)                                                                        \
    {#field, "",   sentence,    OPTION_ENUM,    base + offsetof(self, field), 0, LAST(words_##set),                    \
     value,  NULL, words_##set, summaries_##set},
#define LAST(words) (sizeof words / sizeof *words - 1)

#define SECTION_TABLE(section, LIST)                                                                                   \
    static struct option_section section_##section(void)                                                               \
    {                                                                                                                  \
        typedef struct config_##section self;                                                                          \
        enum { base = offsetof(struct config, section) };                                                              \
        static const struct option table[] = {LIST(ENTRY_UINT, ENTRY_REAL, ENTRY_BOOL, ENTRY_TEXT, ENTRY_ENUM)};       \
        return (struct option_section){#section, table, sizeof table / sizeof *table};                                 \
    }

SECTION_TABLE(gpu, CONFIG_GPU)
SECTION_TABLE(sm, CONFIG_SM)
SECTION_TABLE(core, CONFIG_CORE)
SECTION_TABLE(legacy, CONFIG_LEGACY)
SECTION_TABLE(icache, CONFIG_ICACHE)
SECTION_TABLE(constant, CONFIG_CONSTANT)
SECTION_TABLE(l15, CONFIG_L15)
SECTION_TABLE(lsu, CONFIG_LSU)
SECTION_TABLE(tex, CONFIG_TEX)
SECTION_TABLE(tma, CONFIG_TMA)
SECTION_TABLE(shared, CONFIG_SHARED)
SECTION_TABLE(mbarrier, CONFIG_MBARRIER)
SECTION_TABLE(tmem, CONFIG_TMEM)
SECTION_TABLE(tcgen05, CONFIG_TCGEN05)
SECTION_TABLE(l1, CONFIG_L1)
SECTION_TABLE(tlb, CONFIG_TLB)
SECTION_TABLE(noc, CONFIG_NOC)
SECTION_TABLE(l2, CONFIG_L2)
SECTION_TABLE(dram, CONFIG_DRAM)
SECTION_TABLE(standard, CONFIG_STANDARD)
SECTION_TABLE(launch, CONFIG_LAUNCH)
SECTION_TABLE(host, CONFIG_HOST)
SECTION_TABLE(run, CONFIG_RUN)

struct option_section option_section(size_t index)
{
    static struct option_section (*const tables[])(void) = {
#define SECTION_ENTRY(section) section_##section,
        CONFIG_SECTIONS(SECTION_ENTRY)
#undef SECTION_ENTRY
    };
    assert(index < OPTION_SECTIONS);
    return tables[index]();
}

bool option_section_exists(const char *section)
{
    for (size_t s = 0; s < OPTION_SECTIONS; s++)
        if (strcmp(option_section(s).name, section) == 0)
            return true;
    return false;
}

const struct option *option_find(const char *section, const char *key)
{
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        struct option_section table = option_section(s);
        if (strcmp(table.name, section) != 0)
            continue;
        for (size_t i = 0; i < table.count; i++)
            if (strcmp(table.options[i].key, key) == 0)
                return &table.options[i];
    }
    return NULL;
}

static void *field(const struct option *option, struct config *config) { return (char *)config + option->offset; }

static const void *field_const(const struct option *option, const struct config *config)
{
    return (const char *)config + option->offset;
}

uint32_t option_uint(const struct option *option, const struct config *config)
{
    assert(option->kind == OPTION_UINT || option->kind == OPTION_ENUM);
    return *(const uint32_t *)field_const(option, config);
}

double option_real(const struct option *option, const struct config *config)
{
    assert(option->kind == OPTION_REAL);
    return *(const double *)field_const(option, config);
}

bool option_bool(const struct option *option, const struct config *config)
{
    assert(option->kind == OPTION_BOOL);
    return *(const bool *)field_const(option, config);
}

const char *option_text(const struct option *option, const struct config *config)
{
    if (option->kind == OPTION_ENUM)
        return option->words[option_uint(option, config)];
    assert(option->kind == OPTION_TEXT);
    return field_const(option, config);
}

static void store(const struct option *option, struct config *config, double number)
{
    switch (option->kind) {
    case OPTION_ENUM:
    case OPTION_UINT: *(uint32_t *)field(option, config) = (uint32_t)number; break;
    case OPTION_REAL: *(double *)field(option, config) = number; break;
    case OPTION_BOOL: *(bool *)field(option, config) = number != 0; break;
    case OPTION_TEXT: assert(false); break;
    }
}

static void store_text(const struct option *option, struct config *config, const char *text, size_t length)
{
    char *to = field(option, config);
    memset(to, 0, CONFIG_TEXT);
    memcpy(to, text, length);
}

void option_default(const struct option *option, struct config *config)
{
    if (option->kind == OPTION_TEXT)
        store_text(option, config, option->text, strlen(option->text));
    else
        store(option, config, option->number);
}

/* Decimal notation only: no sign, hexadecimal digits, infinity or unit. */
static bool parse_number(const struct option *option, const char *value, double *number)
{
    const char *allowed = option->kind == OPTION_UINT ? "0123456789" : "0123456789.eE+-";
    if (value[0] < '0' || value[0] > '9' || value[strspn(value, allowed)] != '\0')
        return false;
    char *end;
    *number = strtod(value, &end);
    return *end == '\0' && *number >= option->low && *number <= option->high;
}

static bool parse_bool(const char *value, double *number)
{
    *number = strcmp(value, "true") == 0 || strcmp(value, "on") == 0;
    return *number != 0 || strcmp(value, "false") == 0 || strcmp(value, "off") == 0;
}

/* The text in the quotes, which may be left out. */
static const char *unquote(const char *value, size_t *length)
{
    *length = strlen(value);
    if (*length < 2 || value[0] != '"' || value[*length - 1] != '"')
        return value;
    *length -= 2;
    return value + 1;
}

static bool parse_word(const struct option *option, const char *value, double *number)
{
    size_t length;
    value = unquote(value, &length);
    for (*number = 0; *number <= option->high; ++*number) {
        const char *word = option->words[(size_t)*number];
        if (strlen(word) == length && memcmp(word, value, length) == 0)
            return true;
    }
    return false;
}

static bool parse_text(const struct option *option, const char *value, struct config *config)
{
    size_t length;
    value = unquote(value, &length);
    if (length >= CONFIG_TEXT)
        return false;
    char given[CONFIG_TEXT], printable[CONFIG_TEXT];
    snprintf(given, sizeof given, "%.*s", (int)length, value);
    if (strpbrk(given, "\"\\;") || strcmp(given, text_printable(printable, sizeof printable, given)) != 0)
        return false;
    store_text(option, config, value, length);
    return true;
}

bool option_parse(const struct option *option, const char *value, struct config *config)
{
    double number = 0;
    bool ok = false;
    switch (option->kind) {
    case OPTION_UINT:
    case OPTION_REAL: ok = parse_number(option, value, &number); break;
    case OPTION_BOOL: ok = parse_bool(value, &number); break;
    case OPTION_ENUM: ok = parse_word(option, value, &number); break;
    case OPTION_TEXT: return parse_text(option, value, config);
    }
    if (ok)
        store(option, config, number);
    return ok;
}

static void expect_word(const struct option *option, char *out, size_t size)
{
    size_t last = (size_t)option->high, used = 0;
    for (size_t i = 0; i <= last && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s\"%s\"",
                                 i == 0      ? ""
                                 : i == last ? " or "
                                             : ", ",
                                 option->words[i]);
}

const char *option_summary(const struct option *option, const struct config *config)
{
    return option->kind == OPTION_ENUM ? option->summaries[option_uint(option, config)] : "";
}

void option_expectation(const struct option *option, char *out, size_t size)
{
    const char *open = option->unit[0] ? " (" : "", *close = option->unit[0] ? ")" : "";
    switch (option->kind) {
    case OPTION_UINT:
        snprintf(out, size, "a whole number from %.0f to %.0f%s%s%s", option->low, option->high, open, option->unit,
                 close);
        break;
    case OPTION_REAL:
        snprintf(out, size, "a number from %g to %g%s%s%s", option->low, option->high, open, option->unit, close);
        break;
    case OPTION_BOOL: snprintf(out, size, "true or false"); break;
    case OPTION_ENUM: expect_word(option, out, size); break;
    case OPTION_TEXT:
        snprintf(out, size, "a text in quotes, shorter than %d bytes, without quote, backslash and semicolon",
                 CONFIG_TEXT);
        break;
    }
}

void option_format(const struct option *option, const struct config *config, char out[OPTION_VALUE])
{
    switch (option->kind) {
    case OPTION_UINT: snprintf(out, OPTION_VALUE, "%u", option_uint(option, config)); break;
    case OPTION_REAL: number_format(option_real(option, config), 17, out); break;
    case OPTION_BOOL: snprintf(out, OPTION_VALUE, "%s", option_bool(option, config) ? "true" : "false"); break;
    case OPTION_ENUM:
    case OPTION_TEXT: snprintf(out, OPTION_VALUE, "\"%s\"", option_text(option, config)); break;
    }
}

void option_json(const struct option *option, const struct config *config, struct json *json, const char *key)
{
    switch (option->kind) {
    case OPTION_UINT: json_uint(json, key, option_uint(option, config)); break;
    case OPTION_REAL: json_number(json, key, option_real(option, config), 17); break;
    case OPTION_BOOL: json_bool(json, key, option_bool(option, config)); break;
    case OPTION_ENUM:
    case OPTION_TEXT: json_string(json, key, option_text(option, config)); break;
    }
}
