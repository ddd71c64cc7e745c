#include "accelsim/facts.h"

#include <stdio.h>

static void warn_first_tracer(struct converter *c, const struct input *in)
{
    if (c->first_tracer++ == 0)
        converter_warn(c,
                       "%.300s: the header has no 'accelsim tracer version', or 0: it is read as a file of the first "
                       "tracer (2020), whose lines have four numbers before the pc",
                       in->path);
}

static void warn_facts(struct converter *c, const struct input *in, uint32_t taken)
{
    char architecture[64] = "";
    if (c->wrong_facts++ > 0)
        return;
    if (taken)
        snprintf(architecture, sizeof architecture, ", and the architecture of --gpu, sm_%u", taken);
    converter_warn(
        c,
        "%.300s: 'nregs', 'shmem' and 'binary version' are not the kernel's: NVBit tracers read them wrongly "
        "when cuLaunchKernelEx launches it. It gets the registers and the shared memory that its lines "
        "use%s",
        in->path, architecture);
}

bool facts_begin(struct converter *c, const struct input *in, struct header *h, struct status *status)
{
    uint32_t taken = h->binary ? 0 : c->options->architecture;
    if (!h->binary && !taken)
        return status_fail(status, STATUS_FORMAT,
                           "%.200s: 'binary version' is 0, as NVBit tracers write it when cuLaunchKernelEx launches "
                           "the kernel: name a GPU of the code's architecture with --gpu",
                           in->path);
    h->binary = h->binary ? h->binary : taken;
    if (h->version == 0)
        warn_first_tracer(c, in);
    if (h->wrong)
        warn_facts(c, in, taken);
    return true;
}

void facts_end(const struct header *h, const struct code *code, const struct book *book, const struct spaces *spaces,
               struct trace_launch *launch)
{
    uint32_t registers = book_registers(book), shared = spaces->shared_bytes;
    if (!h->wrong)
        return;
    launch->registers = registers > launch->registers ? registers : launch->registers;
    shared = h->shared > shared ? h->shared : shared;
    launch->static_shared = code->static_shared;
    launch->dynamic_shared = shared > code->static_shared ? shared - code->static_shared : 0;
}

void facts_open(const struct converter *c, const struct input *in, const struct warp *warp)
{
    if (warp->blind > 0)
        converter_warn(
            c,
            "%.300s: %llu operations on barrier objects have no values of registers: no warp waits for them. "
            "ALLOW_REG_VAL_TRACING=1 lets the tracer record values",
            in->path, (unsigned long long)warp->blind);
    if (warp->loose > 0)
        converter_warn(c,
                       "%.300s: the places of %llu copies by the engine are not those of a box: their bytes are taken "
                       "for one row from the lowest place on",
                       in->path, (unsigned long long)warp->loose);
}

void facts_summary(const struct converter *c)
{
    if (c->first_tracer > 1)
        converter_warn(c, "%llu kernels are read as files of the first tracer", (unsigned long long)c->first_tracer);
    if (c->wrong_facts > 1)
        converter_warn(c, "%llu kernels get the registers and the shared memory that their lines use",
                       (unsigned long long)c->wrong_facts);
}
