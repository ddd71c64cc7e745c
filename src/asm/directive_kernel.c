#include <stdlib.h>

#include "asm/directive.h"
#include "cubin/image.h"

enum {
    PARAMETER_BYTES_MAX = 32764,
    PARAMETERS_MAX = 4096,
    SHARED_MAX = 0x100000,
    LOCAL_MAX = 0x80000,
    REGISTERS_MAX = 255,
    BARRIERS_MAX = 16,
    CLUSTER_MAX = 16,
    RESERVED_SHARED = 1024, /* the system's, at the start of a CTA's shared memory on sm_90 and later */
    BANK_BYTES = 0x10000
};

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    unsigned bytes;
} types[] = {
    {"u8", 1},  {"s8", 1},  {"u16", 2}, {"s16", 2}, {"f16", 2}, {"bf16", 2}, {"u32", 4},
    {"s32", 4}, {"f32", 4}, {"u64", 8}, {"s64", 8}, {"f64", 8}, {"ptr", 8},
};

/* A type, or a number of bytes; *alignment is the largest power of two up to 8 that divides it. */
static bool parameter_size(struct scan *s, uint64_t *size, uint64_t *alignment)
{
    if (scan_letter(scan_peek(s))) {
        struct word type = scan_name(s);
        *size = 0;
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            if (word_is(type, types[i].name))
                *size = types[i].bytes;
        if (*size == 0)
            return scan_error(s, type.column,
                              "unknown type '%.*s'; there are u8 to u64, s8 to s64, f16, bf16, f32, "
                              "f64, ptr, or a number of bytes",
                              (int)type.length, type.text);
    } else if (!scan_number(s, "the number of bytes", 1, PARAMETER_BYTES_MAX, size))
        return false;
    *alignment = *size & (0 - *size);
    *alignment = *alignment > 8 ? 8 : *alignment;
    return true;
}

/* .param name, size [, offset] */
bool directive_param(struct parser *p, struct scan *s, struct word word)
{
    uint64_t size = 0, alignment = 1;
    struct function *f = parser_function(p);
    struct word text = scan_name(s);
    struct name *name = parser_define(p, s, p->function, text, NAME_PARAMETER);
    if (!name || !directive_comma(s) || !parameter_size(s, &size, &alignment))
        return false;
    uint64_t offset = directive_align_up(f->parameter_end, alignment);
    if (scan_char(s, ',') && !scan_number(s, "the offset", 0, PARAMETER_BYTES_MAX, &offset))
        return false;
    if (offset + size > PARAMETER_BYTES_MAX)
        return scan_error(s, word.column, "the parameters have more than %d bytes", PARAMETER_BYTES_MAX);
    if (f->parameter_count == PARAMETERS_MAX)
        return scan_error(s, word.column, "more than %d parameters", PARAMETERS_MAX);
    size_t room = f->parameter_room;
    struct cubin_parameter *list = program_room(p->program, f->parameters, f->parameter_count, &room, sizeof *list);
    if (!list)
        return false;
    f->parameters = list;
    f->parameter_room = (uint32_t)room;
    list[f->parameter_count] = (struct cubin_parameter){
        .ordinal = (uint16_t)f->parameter_count, .offset = (uint16_t)offset, .size = (uint32_t)size};
    f->parameter_count++;
    if (offset + size > f->parameter_end)
        f->parameter_end = (uint32_t)(offset + size);
    name->value = offset;
    name->size = size;
    return scan_finish(s);
}

static bool one_number(struct scan *s, const char *what, uint64_t low, uint64_t high, uint32_t *out)
{
    uint64_t value;
    if (!scan_number(s, what, low, high, &value))
        return false;
    *out = (uint32_t)value;
    return scan_finish(s);
}

bool directive_param_base(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    return one_number(s, "the parameter base", 4, BANK_BYTES - 4, &parser_function(p)->parameter_base);
}

bool directive_param_bytes(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    return one_number(s, "the size of the parameters", 1, PARAMETER_BYTES_MAX, &parser_function(p)->parameter_bytes);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* .shared name, bytes [, alignment] */
bool directive_shared(struct parser *p, struct scan *s, struct word word)
{
    uint64_t size, alignment = 16;
    struct function *f = parser_function(p);
    struct word text = scan_name(s);
    struct name *name = parser_define(p, s, p->function, text, NAME_SHARED);
    if (!name || !directive_comma(s) || !scan_number(s, "the number of bytes", 1, SHARED_MAX, &size) ||
        !directive_alignment(s, &alignment))
        return false;
    if (f->shared_end == 0 && image_is_new(p->program->sm))
        f->shared_end = RESERVED_SHARED;
    uint64_t offset = directive_align_up(f->shared_end, alignment);
    if (offset + size > SHARED_MAX)
        return scan_error(s, word.column, "more than 1 MiB of shared memory");
    name->value = offset;
    name->size = size;
    f->shared_end = (uint32_t)(offset + size);
    return scan_finish(s);
}

bool directive_shared_size(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    return one_number(s, "the size of shared memory", 0, SHARED_MAX, &parser_function(p)->shared_size);
}

bool directive_frame(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    return one_number(s, "the size of the frame", 0, LOCAL_MAX, &parser_function(p)->frame);
}

/* .stack bytes [, open] */
bool directive_stack(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    uint64_t bytes;
    struct function *f = parser_function(p);
    if (!scan_number(s, "the size of local memory", 0, LOCAL_MAX, &bytes))
        return false;
    f->stack = (uint32_t)bytes;
    if (scan_char(s, ',')) {
        struct word open = scan_name(s);
        if (!word_is(open, "open"))
            return scan_error(s, open.column, "expected 'open': more than the call tree shows");
        f->stack_unknown = true;
    }
    return scan_finish(s);
}

/* ---- facts for a launch ------------------------------------------------------------------------------------------ */

bool directive_registers(struct parser *p, struct scan *s, struct word word)
{
    struct function *f = parser_function(p);
    f->registers_line = s->line;
    f->registers_column = word.column;
    return one_number(s, "the number of registers", 1, REGISTERS_MAX, &f->registers);
}

bool directive_barriers(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    uint32_t count;
    if (!one_number(s, "the number of barriers", 0, BARRIERS_MAX, &count))
        return false;
    parser_function(p)->barriers = (int32_t)count;
    return true;
}

/* x [, y [, z]] */
static bool three(struct scan *s, const char *what, uint64_t highest, uint32_t out[3])
{
    uint64_t value;
    out[1] = out[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!scan_number(s, what, 1, highest, &value))
            return false;
        out[i] = (uint32_t)value;
        if (!scan_char(s, ','))
            break;
    }
    return scan_finish(s);
}

bool directive_maxntid(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    return three(s, "the number of threads", 1024, parser_function(p)->max_threads);
}

bool directive_reqntid(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    return three(s, "the number of threads", 1024, parser_function(p)->required_threads);
}

static bool has_clusters(const struct parser *p, struct scan *s, struct word word)
{
    return p->program->sm >= 90 || scan_error(s, word.column, "sm_%u has no clusters", p->program->sm);
}

bool directive_cluster(struct parser *p, struct scan *s, struct word word)
{
    return has_clusters(p, s, word) && three(s, "the number of CTAs", CLUSTER_MAX, parser_function(p)->cluster);
}

bool directive_maxclusterrank(struct parser *p, struct scan *s, struct word word)
{
    return has_clusters(p, s, word) &&
           one_number(s, "the number of CTAs", 1, CLUSTER_MAX, &parser_function(p)->cluster_most);
}

bool directive_explicitcluster(struct parser *p, struct scan *s, struct word word)
{
    parser_function(p)->cluster_explicit = true;
    return has_clusters(p, s, word) && scan_finish(s);
}

bool directive_blocksareclusters(struct parser *p, struct scan *s, struct word word)
{
    parser_function(p)->grid_of_clusters = true;
    return has_clusters(p, s, word) && scan_finish(s);
}

bool directive_bank2(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    p->block = BLOCK_BANK2;
    p->block_line = s->line;
    p->block_name = 0;
    return scan_finish(s);
}

/* The next instruction begins a function inside of the kernel. */
bool directive_symbol(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    struct word text = scan_name(s);
    struct name *name = parser_define(p, s, SCOPE_MODULE, text, NAME_ENTRY);
    if (!name)
        return false;
    name->value = parser_function(p)->count;
    return scan_finish(s);
}

/* Instructions as they are written: their hazards may be the point. */
bool directive_exact(struct parser *p, struct scan *s, struct word word)
{
    if (p->exact)
        return scan_error(s, word.column, ".exact again, before an .endexact");
    p->exact = true;
    return scan_finish(s);
}

bool directive_endexact(struct parser *p, struct scan *s, struct word word)
{
    if (!p->exact)
        return scan_error(s, word.column, ".endexact without an .exact");
    p->exact = false;
    return scan_finish(s);
}
