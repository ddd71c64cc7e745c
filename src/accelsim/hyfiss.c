#include "accelsim/hyfiss.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "accelsim/hyfiss_parts.h"
#include "accelsim/line.h"
#include "accelsim/scan.h"

/* An instruction that a warp has executed. */
struct executed {
    uint64_t warp, order; /* of the grid; in the file */
    uint64_t cta;
    const struct hyfiss_inst *inst;
    uint32_t mask;
    const struct access *access; /* NULL: none */
};

/* A memory line. */
struct access {
    uint64_t cta, order, number; /* number: of the line */
    uint32_t pc, mask;
    const char *at; /* behind MASK */
};

/* Instructions: the whole grid's, or one CTA's. */
struct chunk {
    struct executed *executed; /* owned */
    struct access *access;     /* owned */
    size_t count, room, accesses, access_room, next;
};

struct rewriting {
    const struct hyfiss_source *source;
    struct hyfiss_launch launch;
    struct hyfiss_code code;
    struct chunk chunk;
    struct hyfiss_text memory; /* of the chunk */
    uint64_t warps;            /* of a CTA */
    FILE *out;
    struct status *status;
};

static void *room_for(void *array, size_t count, size_t *room, size_t each)
{
    if (count < *room)
        return array;
    size_t more = *room ? 2 * *room : 256;
    void *grown = realloc(array, more * each);
    if (grown)
        *room = more;
    return grown;
}

static bool no_memory(const struct rewriting *r)
{
    return status_fail(r->status, STATUS_MEMORY, "%.300s: no memory for kernel %u", r->source->app.path,
                       r->source->kernel);
}

/* ---- executions -------------------------------------------------------------------------------------------------- */

static const char *next_word(const char *at, const char *end)
{
    while (at < end && scan_ends_token(*at))
        at++;
    return at;
}

static bool take_mask(const char **at, uint64_t *mask)
{
    if (**at == '!' && scan_ends_token((*at)[1])) {
        *mask = UINT32_MAX;
        ++*at;
        return true;
    }
    return scan_hexadecimal(at, mask) && *mask <= UINT32_MAX;
}

static bool add_executed(struct rewriting *r, uint64_t pc, uint64_t mask, uint64_t warp)
{
    struct chunk *c = &r->chunk;
    struct executed *grown = room_for(c->executed, c->count, &c->room, sizeof *grown);
    if (!grown)
        return no_memory(r);
    c->executed = grown;
    const struct hyfiss_inst *inst = pc <= UINT32_MAX ? hyfiss_inst_at(&r->code, (uint32_t)pc) : NULL;
    if (!inst)
        return status_fail(r->status, STATUS_FORMAT, "%.300s: kernel %u has no instruction at pc %" PRIx64,
                           r->source->instructions.path, r->source->kernel, pc);
    c->executed[c->count] = (struct executed){
        .warp = warp, .order = c->count, .cta = warp / r->warps, .inst = inst, .mask = (uint32_t)mask};
    c->count++;
    return true;
}

static bool read_executed(struct rewriting *r, const struct hyfiss_text *text)
{
    const char *at = next_word(text->begin, text->end);
    for (; at < text->end; at = next_word(at, text->end)) {
        uint64_t pc = 0, mask = 0, warp = 0;
        bool good = scan_hexadecimal(&at, &pc);
        at = scan_blanks(at);
        good = good && take_mask(&at, &mask);
        at = scan_blanks(at);
        good = good && (r->source->by_cta ? scan_unsigned : scan_hexadecimal)(&at, &warp);
        if (!good)
            return status_fail(r->status, STATUS_FORMAT, "%.300s: byte %zu: an execution is 'PC MASK WARP'", text->path,
                               (size_t)(at - text->begin));
        if (!add_executed(r, pc, mask, warp))
            return false;
    }
    return true;
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static bool read_access(struct rewriting *r, struct hyfiss_lines *l, uint64_t cta)
{
    struct chunk *c = &r->chunk;
    const char *at = scan_blanks(l->line);
    uint64_t pc = 0, mask = 0;
    bool good = true;
    if (at == l->end)
        return true;
    if (!r->source->by_cta) {
        good = scan_hexadecimal(&at, &cta);
        at = scan_blanks(at);
    }
    good = good && scan_hexadecimal(&at, &pc) && pc <= UINT32_MAX;
    at = scan_blanks(at);
    while (good && !scan_ends_token(*at)) /* the opcode */
        at++;
    at = scan_blanks(at);
    if (!good || !take_mask(&at, &mask))
        return hyfiss_fail(l, r->status, "a memory line is '[CTA] PC OPCODE MASK TIME REFERENCES 0xADDRESS ..'");
    struct access *grown = room_for(c->access, c->accesses, &c->access_room, sizeof *grown);
    if (!grown)
        return no_memory(r);
    c->access = grown;
    c->access[c->accesses] = (struct access){
        .cta = cta, .order = c->accesses, .number = l->number, .pc = (uint32_t)pc, .mask = (uint32_t)mask, .at = at};
    c->accesses++;
    return true;
}

/* Adds the differences of one reference: STRIDE:COUNT, of which the counts add up to 31. */
static bool take_pairs(const char **at, uint64_t pairs, uint64_t address[32])
{
    unsigned lane = 0;
    for (uint64_t i = 0; i < pairs; i++) {
        const char *p = scan_blanks(*at);
        bool negative = *p == '-';
        uint64_t stride = 0, count = 0;
        p += negative;
        if (scan_digit(*p) > 9)
            return false;
        for (; scan_digit(*p) < 10; p++)
            stride = 10 * stride + scan_digit(*p);
        if (*p++ != ':' || !scan_unsigned(&p, &count) || count == 0 || count > 31 - lane)
            return false;
        for (; count > 0; count--, lane++)
            address[lane + 1] = address[lane] + (negative ? -stride : stride);
        *at = p;
    }
    return lane == 31;
}

/* Of several references the last one counts: that of a copy to shared memory is the global one. */
static bool addresses_of(const struct access *a, uint64_t address[32])
{
    const char *at = scan_blanks(a->at);
    uint64_t time = 0, references = 0, pairs = 0;
    bool good = scan_hexadecimal(&at, &time);
    at = scan_blanks(at);
    good = good && scan_hexadecimal(&at, &references) && references >= 1 && references <= 2;
    for (uint64_t i = 0; good && i < references; i++) {
        at = scan_blanks(at);
        good = scan_address(&at, &address[0]);
        at = scan_blanks(at);
        good = good && scan_unsigned(&at, &pairs) && take_pairs(&at, pairs, address);
    }
    return good;
}

/* ---- which access belongs to which execution --------------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int by_place(const void *x, const void *y)
{
    const struct executed *a = x, *b = y;
    int cta = compare(a->cta, b->cta), pc = compare(a->inst->pc, b->inst->pc);
    return cta ? cta : pc ? pc : compare(a->order, b->order);
}

static int by_warp(const void *x, const void *y)
{
    const struct executed *a = x, *b = y;
    int warp = compare(a->warp, b->warp);
    return warp ? warp : compare(a->order, b->order);
}

static int access_by_place(const void *x, const void *y)
{
    const struct access *a = x, *b = y;
    int cta = compare(a->cta, b->cta), pc = compare(a->pc, b->pc);
    return cta ? cta : pc ? pc : compare(a->order, b->order);
}

static bool unmatched(const struct rewriting *r, uint64_t cta, uint32_t pc)
{
    return status_fail(r->status, STATUS_FORMAT,
                       "%.300s: CTA %" PRIu64 " has not as many lines of pc %" PRIx32
                       " with these lanes as executions: which warp a line is of cannot be told",
                       r->memory.path, cta, pc);
}

static bool match(struct rewriting *r)
{
    struct chunk *c = &r->chunk;
    size_t next = 0;
    if (c->count)
        qsort(c->executed, c->count, sizeof *c->executed, by_place);
    if (c->accesses)
        qsort(c->access, c->accesses, sizeof *c->access, access_by_place);
    for (size_t i = 0; i < c->count; i++) {
        struct executed *e = &c->executed[i];
        if (e->inst->place != HYFISS_MEMORY || e->mask == 0)
            continue;
        const struct access *a = next < c->accesses ? &c->access[next++] : NULL;
        if (!a || a->cta != e->cta || a->pc != e->inst->pc || (e->mask & ~a->mask) != 0)
            return unmatched(r, e->cta, e->inst->pc);
        e->access = a;
    }
    if (next < c->accesses)
        return unmatched(r, c->access[next].cta, c->access[next].pc);
    if (c->count)
        qsort(c->executed, c->count, sizeof *c->executed, by_warp);
    return true;
}

static bool load(struct rewriting *r, uint64_t cta)
{
    struct chunk *c = &r->chunk;
    struct hyfiss_text executed;
    c->count = c->accesses = c->next = 0;
    if (!r->source->load(r->source->self, cta, &executed, &r->memory, r->status) || !read_executed(r, &executed))
        return false;
    struct hyfiss_lines l = {.text = &r->memory, .at = r->memory.begin};
    while (hyfiss_next_line(&l))
        if (!read_access(r, &l, cta))
            return false;
    return match(r);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static bool write_line(struct rewriting *r, const struct executed *e)
{
    char places[LINE_MOST];
    uint64_t address[32];
    fprintf(r->out, "%04" PRIx32 " %08" PRIx32 "%s", e->inst->pc, e->mask, e->inst->form);
    if (e->access && !addresses_of(e->access, address))
        return status_fail(r->status, STATUS_FORMAT,
                           "%.300s:%" PRIu64 ": behind the mask come TIME REFERENCES, and of each of one or two "
                           "0xADDRESS PAIRS STRIDE:COUNT.. with counts that add up to 31",
                           r->memory.path, e->access->number);
    for (unsigned lane = 0; !e->access && lane < 32; lane++)
        address[lane] = (uint64_t)lane * e->inst->width; /* of shared memory nothing is known: side by side */
    if (e->inst->place != HYFISS_NONE)
        fprintf(r->out, " %.*s", (int)line_addresses(places, address, e->mask), places);
    fputc('\n', r->out);
    return true;
}

static bool write_cta(struct rewriting *r, uint64_t cta)
{
    struct chunk *c = &r->chunk;
    const uint64_t *grid = r->launch.grid;
    fprintf(r->out, "#BEGIN_TB\n\nthread block = %" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n\n", cta % grid[0],
            cta / grid[0] % grid[1], cta / grid[0] / grid[1]);
    for (uint64_t w = 0; w < r->warps; w++) {
        uint64_t warp = cta * r->warps + w;
        size_t end = c->next;
        while (end < c->count && c->executed[end].warp == warp)
            end++;
        if (end == c->next)
            return status_fail(r->status, STATUS_FORMAT,
                               "%.300s: kernel %u: warp %" PRIu64 " of CTA %" PRIu64 " executes nothing",
                               r->source->app.path, r->source->kernel, w, cta);
        fprintf(r->out, "warp = %" PRIu64 "\ninsts = %zu\n", w, end - c->next);
        for (; c->next < end; c->next++)
            if (!write_line(r, &c->executed[c->next]))
                return false;
        fputc('\n', r->out);
    }
    fputs("#END_TB\n\n", r->out);
    return true;
}

static void write_header(const struct rewriting *r)
{
    const struct hyfiss_launch *l = &r->launch;
    fprintf(r->out,
            "-kernel name = %s\n-kernel id = %u\n-grid dim = (%" PRIu64 ",%" PRIu64 ",%" PRIu64
            ")\n-block dim = (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")\n-shmem = %" PRIu64 "\n-nregs = %" PRIu64
            "\n-binary version = %u\n",
            l->name, r->source->kernel, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
            l->shared, l->registers, r->source->architecture);
    fprintf(r->out,
            "-cuda stream id = %" PRIu64 "\n-shmem base_addr = 0x%" PRIx64 "\n-local mem base_addr = 0x%" PRIx64
            "\n-accelsim tracer version = 4\n-enable lineinfo = 0\n\n#traces format = rewritten\n\n",
            l->stream, l->shared_base, l->local_base);
}

static bool write_all(struct rewriting *r)
{
    const uint64_t *grid = r->launch.grid, ctas = grid[0] * grid[1] * grid[2];
    write_header(r);
    for (uint64_t cta = 0; cta < ctas; cta++)
        if (((cta == 0 || r->source->by_cta) && !load(r, cta)) || !write_cta(r, cta))
            return false;
    if (r->chunk.next < r->chunk.count)
        return status_fail(r->status, STATUS_FORMAT, "%.300s: kernel %u: warp %" PRIu64 " is not in the grid",
                           r->source->app.path, r->source->kernel, r->chunk.executed[r->chunk.next].warp);
    return !ferror(r->out) ||
           status_fail(r->status, STATUS_IO, "%.300s: its text cannot be written", r->source->app.path);
}

bool hyfiss_write(const struct hyfiss_source *source, FILE *out, struct status *status)
{
    struct rewriting r = {.source = source, .out = out, .status = status};
    bool good = hyfiss_read_launch(source, &r.launch, status) && hyfiss_read_code(source, &r.code, status);
    r.warps = (r.launch.block[0] * r.launch.block[1] * r.launch.block[2] + 31) / 32;
    good = good && write_all(&r);
    free(r.code.inst);
    free(r.chunk.executed);
    free(r.chunk.access);
    return good;
}
