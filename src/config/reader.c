/* inih splits sections, keys and values. It gets the file line by line, already without comments and leading space
 * (its own comment character is the semicolon, its lines are short, and it takes an indented line for a continued
 * value), and the lines that it would let pass are refused before. */
#include "config/reader.h"

#include <assert.h>
#include <ctype.h>
#include <ini.h>
#include <string.h>

#include "base/suggest.h"
#include "config/layer.h"
#include "config/near.h"
#include "config/option.h"

struct reader {
    struct config *config;
    const char *name;
    const char *at, *end; /* the rest of the text */
    unsigned depth;
    bool keys;     /* a key has been read */
    bool standard; /* a key of [standard] has been read */
    bool only;     /* the file has a section [standard] only */
    bool named;    /* dram.kind has been read */
    unsigned line;
    bool seen[sizeof(struct config)];  /* by offset of the option */
    bool given[sizeof(struct config)]; /* the same, of [standard]: here or in the standard's file */
    struct status *status;
};

/* One line of the text, cut at its comment. */
struct line {
    const char *code; /* without space at both ends */
    size_t size;
    const char *comment; /* behind the # and the spaces after it */
    size_t comment_size;
};

static void trim(const char **from, size_t *size)
{
    while (*size > 0 && isspace((unsigned char)**from)) {
        ++*from;
        --*size;
    }
    while (*size > 0 && isspace((unsigned char)(*from)[*size - 1]))
        --*size;
}

/* Takes the next line off *at; false at the end of the text. */
static bool next_line(const char **at, const char *end, struct line *line)
{
    if (*at == end)
        return false;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    const char *stop = newline ? newline : end;
    const char *hash = *at;
    for (bool quoted = false; hash < stop && (quoted || *hash != '#'); hash++)
        quoted ^= *hash == '"';
    *line = (struct line){.code = *at, .size = (size_t)(hash - *at), .comment = stop};
    trim(&line->code, &line->size);
    if (hash < stop) {
        line->comment = hash + 1;
        line->comment_size = (size_t)(stop - line->comment);
        trim(&line->comment, &line->comment_size);
    }
    *at = newline ? newline + 1 : end;
    return true;
}

static bool fail(struct reader *r, const char *what)
{
    return status_fail(r->status, STATUS_CONFIG, "%s:%u: %s", r->name, r->line, what);
}

static bool check_section(struct reader *r, const char *text, size_t size)
{
    char section[64];
    if (text[size - 1] != ']' || size > sizeof section)
        return fail(r, "a section is [name]");
    memcpy(section, text + 1, size - 2);
    section[size - 2] = '\0';
    if (r->only && strcmp(section, "standard") != 0)
        return fail(r, "the file of a DRAM standard has one section, [standard]");
    if (option_section_exists(section))
        return true;
    char hint[NEAR_TEXT];
    near_section(section, hint);
    return status_fail(r->status, STATUS_CONFIG, "%s:%u: there is no section [%.40s]%s", r->name, r->line, section,
                       hint);
}

static bool check_line(struct reader *r, const char *text, size_t size, size_t room)
{
    if (size == 0)
        return true;
    if (memchr(text, '\0', size))
        return fail(r, "a zero byte: this is not a text file");
    if (size + 3 > room)
        return fail(r, "the line is too long");
    if (text[0] == '[')
        return check_section(r, text, size);
    const char *sign = memchr(text, '=', size);
    if (text[0] == ';' || !sign || memchr(text, ':', (size_t)(sign - text)))
        return fail(r, "expected [section], key = value, or a comment behind #");
    return true;
}

/* inih's fgets. */
static char *read_line(char *out, int room, void *stream)
{
    struct reader *r = stream;
    struct line line;
    if (r->status->code != STATUS_OK || !next_line(&r->at, r->end, &line))
        return NULL;
    r->line++;
    if (!check_line(r, line.code, line.size, (size_t)room))
        return NULL;
    memcpy(out, line.code, line.size);
    out[line.size] = '\n';
    out[line.size + 1] = '\0';
    return out;
}

static bool unknown_parent(struct reader *r, const char *name)
{
    char hint[NEAR_TEXT], known[LAYER_NAMES];
    near_layer(name, hint);
    layer_architectures(known);
    return status_fail(
        r->status, STATUS_CONFIG,
        "%s:%u: inherits = \"%s\": there is no such architecture or GPU%s Architectures are %s; 'subcore "
        "gpus' lists the GPUs",
        r->name, r->line, name, hint[0] ? hint : ".", known);
}

/* `inherits` has to come first: values below it must not be overwritten by those it brings. */
static bool inherit(struct reader *r, const char *value)
{
    char name[CONFIG_TEXT];
    size_t length = strlen(value);
    if (r->keys)
        return fail(r, "inherits has to stand before everything else, once");
    if (length < 2 || length >= sizeof name || value[0] != '"' || value[length - 1] != '"')
        return fail(r, "inherits takes the name of an architecture or a GPU, in quotes");
    snprintf(name, sizeof name, "%.*s", (int)length - 2, value + 1);
    const struct embedded *file = layer_find(name);
    if (!file)
        return unknown_parent(r, name);
    if (r->depth == LAYER_DEPTH)
        return fail(r, "too many files inherit from one another");
    r->keys = true;
    return layer_apply(r->config, file, r->depth + 1, r->status);
}

static bool unknown_key(struct reader *r, const char *section, const char *key)
{
    char hint[NEAR_TEXT];
    struct suggest suggest = suggest_begin(key);
    suggest_try(&suggest, "inherits");
    near_key(section, key, hint);
    if (section[0])
        return status_fail(r->status, STATUS_CONFIG, "%s:%u: [%s] has no key '%s'%s", r->name, r->line, section, key,
                           hint);
    return status_fail(r->status, STATUS_CONFIG, "%s:%u: the key '%s' stands before the first section%s", r->name,
                       r->line, key, suggest_best(&suggest) ? ", did you mean inherits?" : hint);
}

/* The standard's numbers take their place where its name stands. */
static bool apply_standard(struct reader *r)
{
    struct status wrong = {0};
    if (r->standard)
        return fail(r, "dram.kind has to stand before [standard], whose values it brings");
    r->named = true;
    if (layer_standard_apply(r->config, r->name, r->given, &wrong))
        return true;
    return status_fail(r->status, wrong.code, "%s:%u: %s", r->name, r->line, wrong.text);
}

static bool apply(struct reader *r, const char *section, const char *key, const char *value)
{
    const struct option *option = option_find(section, key);
    if (section[0] == '\0' && strcmp(key, "inherits") == 0 && !r->only)
        return inherit(r, value);
    r->keys = true;
    if (!option)
        return unknown_key(r, section, key);
    if (r->seen[option->offset])
        return status_fail(r->status, STATUS_CONFIG, "%s:%u: %s.%s is set a second time", r->name, r->line, section,
                           key);
    r->seen[option->offset] = r->given[option->offset] = true;
    r->standard |= strcmp(section, "standard") == 0;
    bool quoted = value[0] == '"';
    if (quoted == (option->kind == OPTION_TEXT || option->kind == OPTION_ENUM) &&
        option_parse(option, value, r->config))
        return option->offset == offsetof(struct config, dram.kind) ? apply_standard(r) : true;
    char expected[160];
    option_expectation(option, expected, sizeof expected);
    return status_fail(r->status, STATUS_CONFIG, "%s:%u: %s.%s = %s: expected %s", r->name, r->line, section, key,
                       value, expected);
}

static int handle(void *user, const char *section, const char *key, const char *value)
{
    return apply(user, section, key, value);
}

static bool read_all(struct reader *r)
{
    int result = ini_parse_stream(read_line, r, handle, r);
    if (r->status->code != STATUS_OK)
        return false;
    if (result < 0)
        return status_fail(r->status, STATUS_MEMORY, "%s: no memory to read it", r->name);
    if (result > 0)
        return status_fail(r->status, STATUS_CONFIG, "%s:%d: expected [section] or key = value", r->name, result);
    return !r->named || reader_check_standard(r->config, r->given, r->status);
}

bool reader_apply(struct config *config, const char *name, const char *text, size_t size, unsigned depth,
                  struct status *status)
{
    struct reader r = {
        .config = config, .name = name, .at = text, .end = text + size, .depth = depth, .status = status};
    return read_all(&r);
}

bool reader_apply_standard(struct config *config, const char *name, const char *text, size_t size,
                           bool given[sizeof(struct config)], struct status *status)
{
    struct reader r = {.config = config, .name = name, .at = text, .end = text + size, .only = true, .status = status};
    bool ok = read_all(&r);
    memcpy(given, r.given, sizeof r.given);
    return ok;
}

bool reader_check_standard(const struct config *config, const bool given[sizeof(struct config)], struct status *status)
{
    const struct option_section section = option_section(OPTION_SECTION_standard);
    for (size_t i = 0; i < section.count; i++)
        if (!given[section.options[i].offset])
            return status_fail(status, STATUS_CONFIG,
                               "dram.kind = \"%.63s\": this file leaves out standard.%s; give it there, or in "
                               "[standard] of the GPU's file",
                               config->dram.kind, section.options[i].key);
    return true;
}

static bool equal(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

bool reader_inherits(const char *text, size_t size, char out[CONFIG_TEXT])
{
    static const char key[] = "inherits";
    const char *at = text;
    struct line line;
    while (next_line(&at, text + size, &line)) {
        if (line.size == 0)
            continue;
        const char *open = memchr(line.code, '"', line.size);
        if (line.size < sizeof key || memcmp(line.code, key, sizeof key - 1) != 0 || !open)
            return false;
        const char *name = open + 1;
        snprintf(out, CONFIG_TEXT, "%.*s", (int)(line.code + line.size - 1 - name), name);
        return true;
    }
    return false;
}

bool reader_comment(const char *text, size_t size, const char *section, const char *key, char *out, size_t room)
{
    const char *at = text;
    bool inside = false;
    struct line line;
    out[0] = '\0';
    while (next_line(&at, text + size, &line)) {
        if (line.size > 2 && line.code[0] == '[') {
            inside = equal(line.code + 1, line.size - 2, section);
            continue;
        }
        const char *sign = memchr(line.code, '=', line.size);
        if (!inside || !sign)
            continue;
        const char *name = line.code;
        size_t length = (size_t)(sign - name);
        trim(&name, &length);
        if (!equal(name, length, key))
            continue;
        size_t n = line.comment_size < room ? line.comment_size : room - 1;
        memcpy(out, line.comment, n);
        out[n] = '\0';
        return true;
    }
    return false;
}
