#include "cubin/line.h"
#include "cubin/module.h"
#include "isa/pascal.h"

#include <stdlib.h>

static size_t find_section(const struct cubin *c, const char *name)
{
    for (size_t i = 1; i < c->section_count; i++)
        if (module_owns(&c->sections[i]) && strcmp(c->sections[i].name, name) == 0)
            return i;
    return 0;
}

static struct cubin_bytes section_bytes(const struct cubin *c, const char *name)
{
    size_t index = find_section(c, name);
    return index > 0 ? c->sections[index].bytes : (struct cubin_bytes){NULL, 0};
}

static struct line_walk walk(const struct cubin *c)
{
    return (struct line_walk){.section = section_bytes(c, ".debug_line"),
                              .strings = section_bytes(c, ".debug_str"),
                              .line_strings = section_bytes(c, ".debug_line_str")};
}

/* ---- file names -------------------------------------------------------------------------------------------------- */

static uint64_t keep_address(void *context, size_t offset, uint64_t operand)
{
    (void)context, (void)offset;
    return operand;
}

static void drop_row(void *context, const struct line_unit *unit, const struct line_state *state)
{
    (void)context, (void)unit, (void)state;
}

static void drop_end(void *context) { (void)context; }

static void note_problem(struct cubin *c, struct cubin_bytes image, const char *problem, size_t at)
{
    size_t section = find_section(c, ".debug_line");
    char where[MODULE_WHERE];
    module_where(c, section, where);
    cubin_fail(&c->line_status, c->path, where, "unit", elf_offset(image, &c->sections[section]) + at, "%s", problem);
}

bool lines_read_files(struct cubin *cubin, struct cubin_bytes image, struct status *status)
{
    const struct line_sink sink = {.set_address = keep_address, .row = drop_row, .end_sequence = drop_end};
    struct line_walk w = walk(cubin);
    struct line_unit unit;
    w.collect = true;
    for (size_t start = 0; line_next_unit(&w, &unit); start = w.at)
        if (!line_run(w.section, &unit, &sink) && w.problem == NULL) {
            w.problem = "the line program is malformed";
            w.problem_at = start;
        }
    cubin->line_files = w.table;
    cubin->line_file_count = w.files;
    if (w.no_memory)
        return cubin_fail_memory(status, cubin->path, "the file names of .debug_line");
    if (w.problem != NULL)
        note_problem(cubin, image, w.problem, w.problem_at);
    return true;
}

const char *cubin_line_file(const struct cubin *cubin, uint32_t file)
{
    return file < cubin->line_file_count ? cubin->line_files[file].name : NULL;
}

const char *cubin_line_directory(const struct cubin *cubin, uint32_t file)
{
    return file < cubin->line_file_count ? cubin->line_files[file].directory : NULL;
}

/* ---- rows of one kernel ------------------------------------------------------------------------------------------ */

struct row {
    struct cubin_line line;
    uint32_t order;
};

struct collector {
    const struct cubin *cubin;
    const struct cubin_kernel *kernel;
    const struct cubin_relocation **relocations; /* of .debug_line, by offset */
    size_t relocation_count;
    bool inside; /* the current sequence belongs to the kernel */
    struct row *rows;
    size_t count, capacity;
    size_t first; /* row of the current sequence */
    bool no_memory;
};

static int by_offset(const void *a, const void *b)
{
    const struct cubin_relocation *x = *(const struct cubin_relocation *const *)a;
    const struct cubin_relocation *y = *(const struct cubin_relocation *const *)b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool gather_relocations(struct collector *k)
{
    const struct cubin *c = k->cubin;
    size_t section = find_section(c, ".debug_line");
    k->relocations = malloc((c->relocation_count + 1) * sizeof *k->relocations);
    if (k->relocations == NULL)
        return false;
    for (size_t i = 0; i < c->relocation_count; i++)
        if (c->relocations[i].section == section)
            k->relocations[k->relocation_count++] = &c->relocations[i];
    qsort(k->relocations, k->relocation_count, sizeof *k->relocations, by_offset);
    return true;
}

/* Every section of a cubin starts at address 0, so the relocation of the operand tells which function it means. Without
 * one it can only be the module's single kernel. */
static uint64_t set_address(void *context, size_t offset, uint64_t operand)
{
    struct collector *k = context;
    const struct cubin_relocation key = {.offset = offset}, *wanted = &key;
    const struct cubin_relocation **found =
        bsearch(&wanted, k->relocations, k->relocation_count, sizeof *k->relocations, by_offset);
    if (found == NULL) {
        k->inside = k->cubin->kernel_count == 1;
        return operand;
    }
    const struct cubin_symbol *symbol = &k->cubin->symbols[(*found)->symbol];
    k->inside = symbol->section == k->kernel->section;
    return symbol->value + (uint64_t)(*found)->addend;
}

static void add_row(void *context, const struct line_unit *unit, const struct line_state *state)
{
    struct collector *k = context;
    if (!k->inside || k->no_memory || state->address >= k->kernel->code.size)
        return;
    if (k->count == k->capacity) {
        size_t more = k->capacity == 0 ? 64 : k->capacity * 2;
        struct row *grown = realloc(k->rows, more * sizeof *grown);
        k->no_memory = grown == NULL;
        if (k->no_memory)
            return;
        k->rows = grown;
        k->capacity = more;
    }
    uint64_t index = state->file - (unit->version >= 5 ? 0 : 1);
    uint32_t pc = (uint32_t)state->address;
    struct cubin_line line = {.pc = pascal_supported(k->cubin->sm) ? pascal_pc(pc) : pc, .line = (uint32_t)state->line};
    line.file = index < unit->file_count ? unit->first_file + (uint32_t)index : UINT32_MAX;
    bool inlined = state->context > 0 && state->context <= k->count - k->first;
    const struct cubin_line *outer = inlined ? &k->rows[k->first + (size_t)state->context - 1].line : NULL;
    line.outer_file = outer ? outer->outer_file : line.file;
    line.outer_line = outer ? outer->outer_line : line.line;
    k->rows[k->count] = (struct row){.line = line, .order = (uint32_t)k->count};
    k->count++;
}

static void end_sequence(void *context)
{
    struct collector *k = context;
    k->inside = false;
    k->first = k->count;
}

static int by_pc(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->line.pc != y->line.pc)
        return x->line.pc > y->line.pc ? 1 : -1;
    return (x->order > y->order) - (x->order < y->order);
}

static size_t settle_rows(struct collector *k, struct cubin_line **out)
{
    *out = k->no_memory || k->count == 0 ? NULL : malloc(k->count * sizeof **out);
    if (*out == NULL)
        return 0;
    qsort(k->rows, k->count, sizeof *k->rows, by_pc);
    size_t count = 0;
    for (size_t i = 0; i < k->count; i++)
        if (i + 1 == k->count || k->rows[i + 1].line.pc != k->rows[i].line.pc)
            (*out)[count++] = k->rows[i].line;
    return count;
}

size_t cubin_lines(const struct cubin *cubin, const struct cubin_kernel *kernel, struct cubin_line **rows)
{
    struct collector k = {.cubin = cubin, .kernel = kernel};
    const struct line_sink sink = {
        .context = &k, .set_address = set_address, .row = add_row, .end_sequence = end_sequence};
    struct line_walk w = walk(cubin);
    struct line_unit unit;
    *rows = NULL;
    if (w.section.size == 0 || !gather_relocations(&k))
        return 0;
    while (line_next_unit(&w, &unit)) {
        end_sequence(&k);
        line_run(w.section, &unit, &sink);
    }
    size_t count = settle_rows(&k, rows);
    free(k.rows);
    free(k.relocations);
    return count;
}
