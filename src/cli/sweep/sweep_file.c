#include "cli/sweep/sweep_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

enum { FILE_BYTES = 1 << 20, WORD = 4096, RANGE_MAX = 10000 };

enum section { SECTION_NONE, SECTION_PROGRAMS, SECTION_AXES, SECTION_TABLE };

struct scan {
    const char *path;
    const char *at, *end;
    unsigned line;
    enum section section;
    struct sweep_file *file;
    struct status *status;
};

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static bool no_memory(struct scan *s) { return status_fail(s->status, STATUS_MEMORY, "%s: no memory", s->path); }

static bool add_word(struct scan *s, struct sweep_words *words, const char *text)
{
    char **items = realloc(words->items, (words->count + 1) * sizeof *items);
    if (items)
        words->items = items;
    char *copy = items ? strdup(text) : NULL;
    if (!copy)
        return no_memory(s);
    items[words->count++] = copy;
    return true;
}

static void free_words(struct sweep_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
}

/* One more element of `size` bytes behind `count`, all zero; NULL without memory. */
static void *one_more(struct scan *s, void *items, size_t count, size_t size)
{
    char *more = realloc(items, (count + 1) * size);
    if (more)
        memset(more + count * size, 0, size);
    else
        no_memory(s);
    return more;
}

void sweep_file_free(struct sweep_file *file)
{
    for (size_t i = 0; i < file->program_count; i++) {
        free(file->programs[i].name);
        free_words(&file->programs[i].words);
    }
    for (size_t i = 0; i < file->axis_count; i++) {
        free(file->axes[i].name);
        free_words(&file->axes[i].values);
    }
    free(file->programs);
    free(file->axes);
    free_words(&file->metrics);
    *file = (struct sweep_file){0};
}

/* ---- words of the text ------------------------------------------------------------------------------------------- */

static bool fail(struct scan *s, const char *why, const char *word)
{
    char shown[64];
    return status_fail(s->status, STATUS_FORMAT, "%s:%u: %s%s%s", s->path, s->line, why, word ? ": " : "",
                       word ? text_printable(shown, sizeof shown, word) : "");
}

/* Skips spaces and comments. Ends of lines as well where `lines` says so. */
static void skip(struct scan *s, bool lines)
{
    for (; s->at < s->end; s->at++) {
        if (*s->at == '#')
            while (s->at + 1 < s->end && s->at[1] != '\n')
                s->at++;
        else if (*s->at == '\n' && lines)
            s->line++;
        else if (*s->at == '\n' || !isspace((unsigned char)*s->at))
            break;
    }
}

static bool take(struct scan *s, char letter)
{
    bool is = s->at < s->end && *s->at == letter;
    s->at += is;
    return is;
}

/* "..." with \" and \\ in it, or '...'. */
static bool quoted(struct scan *s, char out[WORD])
{
    char quote = *s->at++;
    size_t n = 0;
    while (s->at < s->end && *s->at != quote && *s->at != '\n') {
        bool escape = quote == '"' && *s->at == '\\' && s->at + 1 < s->end;
        s->at += escape;
        if (escape && *s->at != '"' && *s->at != '\\')
            return fail(s, "only \\\" and \\\\ are known in a string", NULL);
        if (n + 1 == WORD)
            return fail(s, "a string is too long", NULL);
        out[n++] = *s->at++;
    }
    out[n] = '\0';
    return take(s, quote) || fail(s, "a string has no end", NULL);
}

static bool bare_letter(char c) { return isalnum((unsigned char)c) || strchr("_-.+", c); }

/* A string, or letters, digits, points, signs and underscores. */
static bool scalar(struct scan *s, char out[WORD])
{
    if (s->at < s->end && (*s->at == '"' || *s->at == '\''))
        return quoted(s, out);
    size_t n = 0;
    for (; s->at < s->end && *s->at != '\0' && bare_letter(*s->at); s->at++) {
        if (n + 1 == WORD)
            return fail(s, "a word is too long", NULL);
        out[n++] = *s->at;
    }
    out[n] = '\0';
    return n > 0 || fail(s, "a word or a string is expected", NULL);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool range_part(struct scan *s, double part[3])
{
    static const char *const names[] = {"from", "to", "step"};
    char key[WORD], value[WORD], *end;
    if (!scalar(s, key))
        return false;
    skip(s, false);
    if (!take(s, '='))
        return fail(s, "'=' is expected behind", key);
    skip(s, false);
    if (!scalar(s, value))
        return false;
    skip(s, false);
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(key, names[i]) != 0)
            continue;
        part[i] = strtod(value, &end);
        return (*end == '\0' && isfinite(part[i])) || fail(s, "not a number", value);
    }
    return fail(s, "a range has from, to and step, not", key);
}

/* { from = 10, to = 50, step = 10 } */
static bool range(struct scan *s, struct sweep_words *out)
{
    double part[3] = {NAN, NAN, 1};
    do {
        skip(s, false);
        if (!range_part(s, part))
            return false;
    } while (take(s, ','));
    if (!take(s, '}'))
        return fail(s, "'}' is expected at the end of a range", NULL);
    double steps = floor((part[1] - part[0]) / part[2] + 1e-9);
    if (!(steps >= 0 && steps < RANGE_MAX))
        return fail(s, "a range needs from and to, and a step that leads from one to the other in at most 10,000 steps",
                    NULL);
    for (unsigned i = 0; i <= (unsigned)steps; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.10g", part[0] + i * part[2]);
        if (!add_word(s, out, text))
            return false;
    }
    return true;
}

static bool array(struct scan *s, struct sweep_words *out)
{
    char word[WORD];
    for (;;) {
        skip(s, true);
        if (take(s, ']'))
            return true;
        if (!scalar(s, word) || !add_word(s, out, word))
            return false;
        skip(s, true);
        if (!take(s, ',') && (s->at == s->end || *s->at != ']'))
            return fail(s, "',' or ']' is expected in an array", NULL);
    }
}

static bool values(struct scan *s, struct sweep_words *out)
{
    char word[WORD];
    if (take(s, '['))
        return array(s, out);
    return take(s, '{') ? range(s, out) : scalar(s, word) && add_word(s, out, word);
}

/* The words of a command line: spaces part them, quotes keep spaces. */
static bool split(struct scan *s, const char *line, struct sweep_words *out)
{
    while (*line) {
        char word[WORD], quote = '\0';
        size_t n = 0;
        for (; *line == ' '; line++)
            ;
        if (!*line)
            break;
        for (; *line && (quote || *line != ' '); line++) {
            if (quote ? *line == quote : *line == '"' || *line == '\'')
                quote = quote ? '\0' : *line;
            else
                word[n++] = *line;
        }
        word[n] = '\0';
        if (quote)
            return fail(s, "a quote in a command has no end", word);
        if (!add_word(s, out, word))
            return false;
    }
    return out->count > 0 || fail(s, "a program has no command", NULL);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static bool header(struct scan *s)
{
    static const char *const names[] = {
        [SECTION_PROGRAMS] = "programs", [SECTION_AXES] = "axes", [SECTION_TABLE] = "table"};
    char name[WORD];
    if (!scalar(s, name))
        return false;
    s->section = SECTION_NONE;
    for (unsigned i = SECTION_PROGRAMS; i <= SECTION_TABLE; i++)
        if (strcmp(name, names[i]) == 0)
            s->section = (enum section)i;
    if (s->section == SECTION_NONE)
        return fail(s, "a section is [programs], [axes] or [table], not", name);
    return take(s, ']') || fail(s, "']' is expected behind", name);
}

static bool add_program(struct scan *s, const char *key)
{
    struct sweep_file *f = s->file;
    char line[WORD];
    for (size_t i = 0; i < f->program_count; i++)
        if (strcmp(f->programs[i].name, key) == 0)
            return fail(s, "there is a program of this name already", key);
    if (!scalar(s, line))
        return false;
    struct sweep_program *more = one_more(s, f->programs, f->program_count, sizeof *more);
    if (!more)
        return false;
    f->programs = more;
    struct sweep_program *p = &more[f->program_count++];
    p->name = strdup(key);
    return p->name ? split(s, line, &p->words) : no_memory(s);
}

static bool add_axis(struct scan *s, const char *key)
{
    struct sweep_file *f = s->file;
    for (size_t i = 0; i < f->axis_count; i++)
        if (strcmp(f->axes[i].name, key) == 0)
            return fail(s, "there is an axis of this name already", key);
    struct sweep_axis *more = one_more(s, f->axes, f->axis_count, sizeof *more);
    if (!more)
        return false;
    f->axes = more;
    struct sweep_axis *a = &more[f->axis_count++];
    a->name = strdup(key);
    if (!a->name)
        return no_memory(s);
    return values(s, &a->values) && (a->values.count > 0 || fail(s, "an axis has no value", key));
}

static bool assignment(struct scan *s)
{
    char key[WORD];
    if (!scalar(s, key))
        return false;
    skip(s, false);
    if (!take(s, '='))
        return fail(s, "'=' is expected behind", key);
    skip(s, false);
    switch (s->section) {
    case SECTION_PROGRAMS: return add_program(s, key);
    case SECTION_AXES: return add_axis(s, key);
    case SECTION_TABLE:
        return strcmp(key, "metrics") == 0 ? values(s, &s->file->metrics) : fail(s, "[table] has metrics, not", key);
    case SECTION_NONE: break;
    }
    return fail(s, "a section has to come first: [programs], [axes] or [table]", NULL);
}

static bool parse(struct scan *s)
{
    for (;;) {
        skip(s, true);
        if (s->at == s->end)
            break;
        if (!(take(s, '[') ? header(s) : assignment(s)))
            return false;
        skip(s, false);
        if (s->at < s->end && *s->at != '\n')
            return fail(s, "something stands behind the value", NULL);
    }
    return s->file->program_count > 0 || fail(s, "[programs] has no program", NULL);
}

bool sweep_file_parse(struct sweep_file *file, const char *path, const char *text, size_t size, struct status *status)
{
    struct scan s = {.path = path, .at = text, .end = text + size, .line = 1, .file = file, .status = status};
    *file = (struct sweep_file){0};
    if (parse(&s))
        return true;
    sweep_file_free(file);
    return false;
}

bool sweep_file_read(struct sweep_file *file, const char *path, struct status *status)
{
    struct file_bytes bytes;
    if (!file_read(path, FILE_BYTES, &bytes, status))
        return false;
    bool ok = sweep_file_parse(file, path, (const char *)bytes.data, bytes.size, status);
    file_free(&bytes);
    return ok;
}
