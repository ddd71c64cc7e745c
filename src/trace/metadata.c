#include "trace/metadata.h"

#include <stdlib.h>

enum {
    TEXT_MOST = 1 << 16,
    COOPERATIVE = 1,
    CONTROL_BITS = 2,
    CLUSTERS = 4,
    THREADS_MOST = 1024,
    REGISTERS_MOST = 256,
    LINE = 128 /* bytes that code_address is a multiple of */
};

/* Sizes and addresses with which occupancy, placement and addresses of local memory are computed. */
static const char *resources_wrong(const struct trace_launch *l)
{
    const uint64_t window = UINT64_C(1) << TRACE_WINDOW_BITS, beyond = UINT64_C(1) << TRACE_ADDRESS_BITS;
    if (l->registers > REGISTERS_MOST)
        return "more than 256 registers a thread";
    if ((uint64_t)l->static_shared + l->dynamic_shared > window || l->shared_preferred > window)
        return "more than 16 MiB of shared memory a CTA";
    if (l->local_bytes > window)
        return "more than 16 MiB of local memory a thread";
    if (l->local_base >= beyond || l->code_address >= beyond)
        return "an address of code or local memory beyond 57 bits";
    if (l->code_address % LINE)
        return "an address of code that is no multiple of 128";
    for (unsigned i = 0; i < TRACE_BANKS; i++)
        if (l->bank_bytes[i] > TRACE_BANK_BYTES)
            return "a constant bank of more than 64 KiB";
    return NULL;
}

static const char *cluster_wrong(const struct trace_launch *l)
{
    for (unsigned i = 0; i < 3 && l->cluster[0]; i++) {
        if (!l->cluster[i] || l->cluster[i] > TRACE_CLUSTER_CTAS)
            return "a dimension of a cluster that is not 1 to 16";
        if (l->grid[i] % l->cluster[i])
            return "a grid that is no multiple of its clusters";
    }
    return trace_launch_group(l) > TRACE_CLUSTER_CTAS ? "a cluster of more than 16 CTAs" : NULL;
}

const char *trace_launch_wrong(const struct trace_launch *l, bool code)
{
    uint64_t threads = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!l->grid[i] || !l->block[i])
            return "a grid or a block without threads";
        if (l->block[i] > THREADS_MOST)
            return "a block of more than 1024 threads";
        threads *= l->block[i];
    }
    if (threads > THREADS_MOST)
        return "a block of more than 1024 threads";
    if ((uint64_t)l->grid[0] * l->grid[1] > UINT32_MAX || trace_launch_ctas(l) > UINT32_MAX)
        return "a grid of more than 4294967295 CTAs";
    const char *wrong = cluster_wrong(l);
    if (wrong)
        return wrong;
    if (code && !l->code_count)
        return "a kernel without code";
    if (l->code_count > TRACE_CODE_MOST)
        return "a kernel of more than 4194304 instructions";
    return resources_wrong(l);
}

static void put_code(const struct trace_launch *l, struct trace_bytes *out)
{
    uint32_t described = 0;
    trace_put_number(out, l->code_count);
    for (uint32_t i = 0; i < l->code_count; i++) {
        trace_put_fixed(out, l->code[i].isa.word.lo, 8);
        trace_put_fixed(out, l->code[i].isa.word.hi, 8);
        described += l->code[i].described != NULL;
    }
    trace_put_number(out, described);
    for (uint32_t i = 0; i < l->code_count; i++) {
        if (!l->code[i].described)
            continue;
        trace_put_number(out, i);
        trace_put_text(out, l->code[i].described);
    }
}

void trace_metadata_put_launch(const struct trace_launch *l, struct trace_bytes *out)
{
    trace_put_text(out, l->name);
    trace_put_number(out, l->architecture);
    for (unsigned i = 0; i < 3; i++)
        trace_put_number(out, l->grid[i]);
    for (unsigned i = 0; i < 3; i++)
        trace_put_number(out, l->block[i]);
    trace_put_number(out, l->registers);
    trace_put_number(out, l->static_shared);
    trace_put_number(out, l->dynamic_shared);
    trace_put_number(out, l->shared_preferred);
    trace_put_number(out, l->local_bytes);
    trace_put_number(out, l->local_base);
    trace_put_number(out, l->code_address);
    for (unsigned i = 0; i < TRACE_BANKS; i++)
        trace_put_number(out, l->bank_bytes[i]);
    trace_put_number(out, (l->cooperative ? COOPERATIVE : 0u) | (l->control_bits ? CONTROL_BITS : 0u) |
                              (l->cluster[0] ? CLUSTERS : 0u));
    trace_put_number(out, l->stream);
    trace_put_number(out, l->number);
    for (unsigned i = 0; i < 3 && l->cluster[0]; i++)
        trace_put_number(out, l->cluster[i]);
}

void trace_metadata_put(const struct trace_launch *l, struct trace_bytes *out)
{
    trace_metadata_put_launch(l, out);
    put_code(l, out);
}

bool trace_metadata_take_code(struct trace_inst **code, uint32_t *code_count, struct trace_view *v)
{
    uint32_t count = (uint32_t)trace_take_below(v, TRACE_CODE_MOST);
    struct trace_inst *inst = NULL;
    if (v->failed || trace_left(v) / 16 < count || !(inst = calloc(count + 1u, sizeof *inst)))
        return false;
    *code = inst;
    *code_count = count;
    for (uint32_t i = 0; i < count; i++) {
        inst[i].isa.word.lo = trace_take_fixed(v, 8);
        inst[i].isa.word.hi = trace_take_fixed(v, 8);
        inst[i].isa.pc = i * 16;
    }
    for (uint64_t described = trace_take_below(v, count); described; described--) {
        uint64_t i = trace_take_below(v, count);
        if (v->failed || i >= count || inst[i].described || !(inst[i].described = trace_take_text(v, TEXT_MOST)))
            return false;
    }
    return !v->failed && !trace_left(v);
}

bool trace_metadata_take(struct trace_launch *l, struct trace_view *v)
{
    *l = (struct trace_launch){.name = trace_take_text(v, TEXT_MOST)};
    l->architecture = (uint32_t)trace_take_below(v, UINT32_MAX);
    uint32_t *const sizes[] = {&l->grid[0],        &l->grid[1],          &l->grid[2],    &l->block[0],
                               &l->block[1],       &l->block[2],         &l->registers,  &l->static_shared,
                               &l->dynamic_shared, &l->shared_preferred, &l->local_bytes};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        *sizes[i] = (uint32_t)trace_take_below(v, UINT32_MAX);
    l->local_base = trace_take_number(v);
    l->code_address = trace_take_number(v);
    for (unsigned i = 0; i < TRACE_BANKS; i++)
        l->bank_bytes[i] = (uint32_t)trace_take_below(v, UINT32_MAX);
    uint64_t flags = trace_take_below(v, COOPERATIVE | CONTROL_BITS | CLUSTERS);
    l->cooperative = flags & COOPERATIVE;
    l->control_bits = flags & CONTROL_BITS;
    l->stream = trace_take_number(v);
    l->number = trace_take_number(v);
    for (unsigned i = 0; i < 3 && flags & CLUSTERS; i++)
        l->cluster[i] = (uint32_t)trace_take_below(v, UINT32_MAX);
    if (l->name && !v->failed)
        return true;
    trace_launch_free(l);
    return false;
}
