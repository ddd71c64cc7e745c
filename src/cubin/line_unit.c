#include "cubin/line.h"

#include <stdlib.h>

enum form {
    DW_FORM_DATA2 = 0x05,
    DW_FORM_DATA4 = 0x06,
    DW_FORM_DATA8 = 0x07,
    DW_FORM_STRING = 0x08,
    DW_FORM_BLOCK = 0x09,
    DW_FORM_DATA1 = 0x0b,
    DW_FORM_STRP = 0x0e,
    DW_FORM_UDATA = 0x0f,
    DW_FORM_STRX = 0x1a,
    DW_FORM_DATA16 = 0x1e,
    DW_FORM_LINE_STRP = 0x1f,
    DW_FORM_STRX1 = 0x25,
    DW_FORM_STRX2 = 0x26,
    DW_FORM_STRX3 = 0x27,
    DW_FORM_STRX4 = 0x28
};

enum content { DW_LNCT_PATH = 1, DW_LNCT_DIRECTORY = 2 };

/* Directories of one unit, by their index. */
struct directories {
    const char **name;
    size_t count, capacity;
};

static void add_directory(struct line_walk *w, struct directories *d, const char *name)
{
    if (!w->collect || w->no_memory)
        return;
    if (d->count == d->capacity) {
        size_t more = d->capacity == 0 ? 16 : d->capacity * 2;
        const char **grown = realloc(d->name, more * sizeof *grown);
        w->no_memory = grown == NULL;
        if (w->no_memory)
            return;
        d->name = grown;
        d->capacity = more;
    }
    d->name[d->count++] = name;
}

static void add_file(struct line_walk *w, struct line_unit *u, const struct directories *d, const char *name,
                     uint64_t directory)
{
    size_t index = (size_t)u->first_file + u->file_count++;
    if (!w->collect || w->no_memory)
        return;
    if (index >= w->capacity) {
        size_t more = w->capacity == 0 ? 16 : w->capacity * 2;
        struct cubin_line_file *grown = realloc(w->table, more * sizeof *grown);
        w->no_memory = grown == NULL;
        if (w->no_memory)
            return;
        w->table = grown;
        w->capacity = more;
    }
    w->table[index] =
        (struct cubin_line_file){.name = name, .directory = directory < d->count ? d->name[directory] : NULL};
}

/* Versions 2 to 4: directory 0 is the compilation's, which only .debug_info names. */
static void read_tables_4(struct line_walk *w, struct line_unit *u, struct line_reader *r, struct directories *d)
{
    add_directory(w, d, NULL);
    for (const char *name = line_read_string(r); *name != '\0'; name = line_read_string(r))
        add_directory(w, d, name);
    for (const char *name = line_read_string(r); *name != '\0' && !r->bad; name = line_read_string(r)) {
        uint64_t directory = line_read_uleb(r);
        line_read_uleb(r);
        line_read_uleb(r);
        if (!r->bad)
            add_file(w, u, d, name, directory);
    }
}

/* Reads one attribute of an entry: a string, or a number. Unknown forms have no known length. */
static void read_form(struct line_walk *w, const struct line_unit *u, struct line_reader *r, uint64_t form,
                      const char **string, uint64_t *number)
{
    switch (form) {
    case DW_FORM_STRING: *string = line_read_string(r); return;
    case DW_FORM_LINE_STRP: *string = bytes_string(w->line_strings, line_read(r, u->offset_bytes)); return;
    case DW_FORM_STRP: *string = bytes_string(w->strings, line_read(r, u->offset_bytes)); return;
    case DW_FORM_UDATA:
    case DW_FORM_STRX: *number = line_read_uleb(r); return;
    case DW_FORM_DATA1:
    case DW_FORM_STRX1: *number = line_read(r, 1); return;
    case DW_FORM_DATA2:
    case DW_FORM_STRX2: *number = line_read(r, 2); return;
    case DW_FORM_DATA4:
    case DW_FORM_STRX4: *number = line_read(r, 4); return;
    case DW_FORM_DATA8: *number = line_read(r, 8); return;
    case DW_FORM_STRX3: line_skip(r, 3); return;
    case DW_FORM_DATA16: line_skip(r, 16); return;
    case DW_FORM_BLOCK: line_skip(r, line_read_uleb(r)); return;
    default: r->bad = true;
    }
}

struct entry {
    const char *name;
    uint64_t directory;
};

static struct entry read_entry(struct line_walk *w, const struct line_unit *u, struct line_reader *r,
                               struct line_reader format, unsigned fields)
{
    struct entry e = {.name = NULL};
    for (unsigned i = 0; i < fields && !r->bad; i++) {
        uint64_t content = line_read_uleb(&format), form = line_read_uleb(&format), number = 0;
        const char *string = NULL;
        read_form(w, u, r, form, &string, &number);
        if (content == DW_LNCT_PATH)
            e.name = string;
        if (content == DW_LNCT_DIRECTORY)
            e.directory = number;
    }
    return e;
}

/* Version 5: a description of the entries, then the entries; first for directories, then for files. Every form takes at
 * least a byte, so the counts cannot lead further than the section is long. */
static void read_tables_5(struct line_walk *w, struct line_unit *u, struct line_reader *r, struct directories *d)
{
    for (int table = 0; table < 2; table++) {
        unsigned fields = (unsigned)line_read(r, 1);
        struct line_reader format = *r;
        for (unsigned i = 0; i < 2 * fields; i++)
            line_read_uleb(r);
        uint64_t count = line_read_uleb(r);
        if (count > 0 && fields == 0)
            r->bad = true;
        for (uint64_t i = 0; i < count && !r->bad; i++) {
            struct entry e = read_entry(w, u, r, format, fields);
            if (!r->bad && table == 0)
                add_directory(w, d, e.name);
            else if (!r->bad)
                add_file(w, u, d, e.name, e.directory);
        }
    }
}

static const char *read_header(struct line_walk *w, struct line_unit *u, struct line_reader *r)
{
    u->version = (unsigned)line_read(r, 2);
    if (u->version < 2 || u->version > 5)
        return "unknown version of the line table";
    if (u->version >= 5)
        line_skip(r, 2);
    uint64_t header = line_read(r, u->offset_bytes);
    if (r->bad || header > r->end - r->at)
        return "the header ends outside the unit";
    u->program = r->at + (size_t)header;
    r->end = u->program;
    u->instruction_bytes = (uint8_t)line_read(r, 1);
    line_skip(r, u->version >= 4 ? 2 : 1); /* operations an instruction (version 4), default of is_stmt */
    u->line_base = (int8_t)line_read(r, 1);
    u->line_range = (uint8_t)line_read(r, 1);
    u->opcode_base = (uint8_t)line_read(r, 1);
    u->operand_counts = r->data + r->at;
    if (u->opcode_base > 0)
        line_skip(r, u->opcode_base - 1u);
    if (r->bad || u->line_range == 0 || u->opcode_base == 0)
        return "the header is malformed";
    struct directories d = {.name = NULL};
    if (u->version >= 5)
        read_tables_5(w, u, r, &d);
    else
        read_tables_4(w, u, r, &d);
    free(d.name);
    return r->bad ? "the file table is malformed" : NULL;
}

/* Length of the unit that starts at r->at. Moves behind the length field. */
static uint64_t read_length(struct line_reader *r, struct line_unit *u)
{
    uint64_t length = line_read(r, 4);
    u->offset_bytes = length == 0xffffffff ? 8 : 4;
    return length == 0xffffffff ? line_read(r, 8) : length;
}

static void note(struct line_walk *w, const char *problem, size_t at)
{
    if (w->problem == NULL) {
        w->problem = problem;
        w->problem_at = at;
    }
}

bool line_next_unit(struct line_walk *w, struct line_unit *unit)
{
    while (w->at < w->section.size && !w->no_memory) {
        size_t start = w->at;
        struct line_reader r = {.data = w->section.data, .at = start, .end = w->section.size};
        *unit = (struct line_unit){.first_file = w->files};
        uint64_t length = read_length(&r, unit);
        if (r.bad || length > r.end - r.at) {
            note(w, "the unit ends outside the section", start);
            return false;
        }
        unit->end = r.at + (size_t)length;
        r.end = unit->end;
        w->at = unit->end;
        const char *problem = read_header(w, unit, &r);
        w->files += unit->file_count;
        if (problem == NULL)
            return true;
        note(w, problem, start);
    }
    return false;
}
