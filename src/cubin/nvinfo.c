#include "cubin/module.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Ids of attribute records, EIATTR_* in NVIDIA's listings. */
enum {
    ATTRIBUTE_MAX_THREADS = 0x05,
    ATTRIBUTE_PARAMETER_BANK = 0x0a,
    ATTRIBUTE_REQUIRED_THREADS = 0x10,
    ATTRIBUTE_FRAME_SIZE = 0x11,
    ATTRIBUTE_MIN_STACK_SIZE = 0x12,
    ATTRIBUTE_PARAMETER = 0x17,
    ATTRIBUTE_PARAMETER_BYTES = 0x19,
    ATTRIBUTE_MAX_STACK_SIZE = 0x23,
    ATTRIBUTE_REGISTER_COUNT = 0x2f,
    ATTRIBUTE_CLUSTER = 0x3d,
    ATTRIBUTE_CLUSTER_EXPLICIT = 0x3e,
    ATTRIBUTE_CLUSTER_MOST = 0x3f,
    ATTRIBUTE_PARAMETER_V2 = 0x45,
    ATTRIBUTE_BARRIERS = 0x4c,
    ATTRIBUTE_GRID_OF_CLUSTERS = 0x5b
};

enum { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_SIZED = 4 };

enum { PARAMETERS_MAX = 32764, REGISTERS_MAX = 256 };

struct record {
    uint8_t format, id;
    uint16_t value; /* of the formats without payload */
    struct cubin_bytes payload;
    uint64_t offset; /* in the file */
};

struct cursor {
    struct module *m;
    size_t section;
    struct cubin_bytes bytes;
    size_t at;
    bool failed;
};

static struct cursor cursor_at(struct module *m, size_t section)
{
    return (struct cursor){.m = m, .section = section, .bytes = m->cubin->sections[section].bytes};
}

static bool fail(struct module *m, size_t section, uint64_t offset, uint8_t id, const char *why)
{
    char what[32];
    snprintf(what, sizeof what, "attribute 0x%02x", id);
    return module_fail(m, section, what, offset, why);
}

static bool stop(struct cursor *c, const char *why)
{
    uint64_t offset = elf_offset(c->m->image, &c->m->cubin->sections[c->section]) + c->at;
    uint8_t id = c->bytes.size - c->at >= 2 ? c->bytes.data[c->at + 1] : 0;
    c->failed = true;
    return fail(c->m, c->section, offset, id, why);
}

/* False at the end of the section and on a record that cannot be skipped (c->failed). */
static bool next(struct cursor *c, struct record *r)
{
    size_t left = c->bytes.size - c->at;
    if (left == 0)
        return false;
    if (left < 4)
        return stop(c, "the section ends inside the record");
    const uint8_t *p = c->bytes.data + c->at;
    *r = (struct record){.format = p[0], .id = p[1], .value = le16(p + 2)};
    r->offset = elf_offset(c->m->image, &c->m->cubin->sections[c->section]) + c->at;
    if (r->format < FORMAT_NONE || r->format > FORMAT_SIZED)
        return stop(c, "unknown record format");
    size_t size = r->format == FORMAT_SIZED ? r->value : 0;
    if (size > left - 4)
        return stop(c, "the payload ends outside the section");
    if (r->format == FORMAT_BYTE)
        r->value &= 0xff;
    r->payload = bytes_slice(c->bytes, c->at + 4, size);
    c->at += 4 + size;
    return true;
}

/* ---- .nv.info ---------------------------------------------------------------------------------------------------- */

static bool set_registers(struct module *m, size_t section, const struct record *r, uint32_t kernel, uint32_t value)
{
    if (value > REGISTERS_MAX)
        return fail(m, section, r->offset, r->id, "more than 256 registers a thread");
    m->cubin->kernels[kernel].registers = value;
    m->notes[kernel].has_registers = true;
    return true;
}

/* A function of the user inside the kernel's section is $<kernel>$<function>. The compiler's own are $__internal_*. */
static void note_callee(struct kernel_notes *n, const char *name, uint32_t frame)
{
    if (strncmp(name, "$__", 3) == 0)
        return;
    n->has_callee = true;
    n->frameless_callee |= frame == 0;
    n->callee_frame = frame > n->callee_frame ? frame : n->callee_frame;
}

static bool set_function(struct module *m, size_t section, const struct record *r, uint32_t kernel, uint32_t symbol)
{
    struct cubin_kernel *k = &m->cubin->kernels[kernel];
    struct kernel_notes *n = &m->notes[kernel];
    uint32_t value = le32(r->payload.data + 4);
    bool entry = symbol == n->symbol;
    switch (r->id) {
    case ATTRIBUTE_REGISTER_COUNT: return !entry || set_registers(m, section, r, kernel, value);
    case ATTRIBUTE_FRAME_SIZE:
        if (entry)
            k->frame_bytes = value;
        else
            note_callee(n, m->cubin->symbols[symbol].name, value);
        return true;
    case ATTRIBUTE_MIN_STACK_SIZE: n->min_stack = entry ? value : n->min_stack; return true;
    default: n->max_stack = entry ? value : n->max_stack; return true;
    }
}

static bool read_function(struct module *m, size_t section, const struct record *r)
{
    const struct cubin *c = m->cubin;
    if (r->payload.size < 8)
        return fail(m, section, r->offset, r->id, "the record is too short for a symbol and a value");
    uint32_t symbol = le32(r->payload.data);
    if (symbol >= c->symbol_count)
        return fail(m, section, r->offset, r->id, "the symbol index is outside the symbol table");
    const struct cubin_symbol *s = &c->symbols[symbol];
    uint32_t kernel = s->section < c->section_count ? m->kernel_of_section[s->section] : MODULE_UNKNOWN;
    return kernel == MODULE_UNKNOWN || set_function(m, section, r, kernel, symbol);
}

bool nvinfo_read_module(struct module *m, size_t section)
{
    struct cursor c = cursor_at(m, section);
    struct record r = {0};
    while (next(&c, &r)) {
        bool wanted = r.id == ATTRIBUTE_REGISTER_COUNT || r.id == ATTRIBUTE_FRAME_SIZE ||
                      r.id == ATTRIBUTE_MIN_STACK_SIZE || r.id == ATTRIBUTE_MAX_STACK_SIZE;
        if (wanted && !read_function(m, section, &r))
            return false;
    }
    return !c.failed;
}

/* ---- .nv.info.<kernel> ------------------------------------------------------------------------------------------- */

static bool add_parameter(struct module *m, size_t section, uint32_t kernel, const struct record *r)
{
    struct cubin_kernel *k = &m->cubin->kernels[kernel];
    if (r->payload.size < 12)
        return fail(m, section, r->offset, r->id, "the record is shorter than 12 bytes");
    if (k->parameter_count == PARAMETERS_MAX)
        return fail(m, section, r->offset, r->id, "more parameters than a kernel can have");
    uint32_t *capacity = &m->notes[kernel].parameter_capacity;
    if (k->parameter_count == *capacity) {
        uint32_t more = *capacity == 0 ? 8 : *capacity * 2;
        struct cubin_parameter *p = realloc(k->parameters, more * sizeof *p);
        if (p == NULL)
            return cubin_fail_memory(m->status, m->cubin->path, "kernel parameters");
        k->parameters = p;
        *capacity = more;
    }
    const uint8_t *p = r->payload.data;
    uint32_t size = r->id == ATTRIBUTE_PARAMETER ? le32(p + 8) >> 18 : le16(p + 8);
    k->parameters[k->parameter_count++] =
        (struct cubin_parameter){.ordinal = le16(p + 4), .offset = le16(p + 6), .size = size};
    return true;
}

static bool read_three(struct module *m, size_t section, const struct record *r, uint32_t out[static 3])
{
    if (r->payload.size < 12)
        return fail(m, section, r->offset, r->id, "the record is shorter than 12 bytes");
    for (size_t i = 0; i < 3; i++)
        out[i] = le32(r->payload.data + 4 * i);
    return true;
}

static bool read_one(struct module *m, size_t section, const struct record *r, uint32_t *out)
{
    if (r->payload.size < 4)
        return fail(m, section, r->offset, r->id, "the record is shorter than 4 bytes");
    *out = le32(r->payload.data);
    return true;
}

static bool kernel_attribute(struct module *m, size_t section, uint32_t kernel, const struct record *r)
{
    struct cubin_kernel *k = &m->cubin->kernels[kernel];
    switch (r->id) {
    case ATTRIBUTE_MAX_THREADS: return read_three(m, section, r, k->max_threads);
    case ATTRIBUTE_REQUIRED_THREADS: return read_three(m, section, r, k->required_threads);
    case ATTRIBUTE_CLUSTER: return read_three(m, section, r, k->cluster);
    case ATTRIBUTE_CLUSTER_EXPLICIT: k->cluster_explicit = true; return true;
    case ATTRIBUTE_CLUSTER_MOST: return read_one(m, section, r, &k->cluster_most);
    case ATTRIBUTE_GRID_OF_CLUSTERS: k->grid_of_clusters = true; return true;
    case ATTRIBUTE_PARAMETER:
    case ATTRIBUTE_PARAMETER_V2: return add_parameter(m, section, kernel, r);
    case ATTRIBUTE_PARAMETER_BANK:
        if (r->payload.size < 8)
            return fail(m, section, r->offset, r->id, "the record is shorter than 8 bytes");
        k->parameter_base = le16(r->payload.data + 4);
        k->parameter_bytes = le16(r->payload.data + 6);
        m->notes[kernel].has_parameter_base = true;
        return true;
    case ATTRIBUTE_PARAMETER_BYTES:
        if (k->parameter_bytes == 0)
            k->parameter_bytes = r->value;
        return true;
    case ATTRIBUTE_BARRIERS: k->barriers = r->value; return true;
    default: return true;
    }
}

static int by_ordinal(const void *a, const void *b)
{
    const struct cubin_parameter *x = a, *y = b;
    return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

bool nvinfo_read_kernel(struct module *m, size_t section, uint32_t kernel)
{
    struct cursor c = cursor_at(m, section);
    struct record r = {0};
    while (next(&c, &r))
        if (!kernel_attribute(m, section, kernel, &r))
            return false;
    struct cubin_kernel *k = &m->cubin->kernels[kernel];
    if (k->parameter_count > 0)
        qsort(k->parameters, k->parameter_count, sizeof *k->parameters, by_ordinal);
    uint64_t start = elf_offset(m->image, &m->cubin->sections[section]);
    for (uint32_t i = 0; i < k->parameter_count && !c.failed; i++) {
        const struct cubin_parameter *p = &k->parameters[i];
        if (p->ordinal != i)
            return fail(m, section, start, ATTRIBUTE_PARAMETER, "the parameter ordinals are not 0, 1, 2, ...");
        if (p->offset + p->size > k->parameter_bytes)
            return fail(m, section, start, ATTRIBUTE_PARAMETER, "a parameter ends outside the parameter area");
    }
    return !c.failed;
}
