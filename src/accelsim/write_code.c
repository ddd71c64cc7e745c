#include <inttypes.h>

#include "accelsim/write_parts.h"

static void put_facts(struct sink *s, const struct trace_launch *l)
{
    sink_print(s, "subcore-code 1\narchitecture = %u\nregisters = %u\n", l->architecture, l->registers);
    sink_print(s, "static shared = %u\npreferred shared = %u\nlocal = %u\n", l->static_shared, l->shared_preferred,
               l->local_bytes);
    sink_print(s, "local base = 0x%" PRIx64 "\ncode address = 0x%" PRIx64 "\n", l->local_base, l->code_address);
    for (unsigned i = 0; i < TRACE_BANKS; i++)
        if (l->bank_bytes[i])
            sink_print(s, "bank %u = %u\n", i, l->bank_bytes[i]);
    sink_print(s, "cooperative = %d\ncontrol bits = %d\nnumber = %" PRIu64 "\n\n", l->cooperative, l->control_bits,
               l->number);
}

static void put_places(struct sink *s, uint32_t pc, const struct used *used)
{
    if (!used || !used->copies)
        return;
    sink_print(s, "copies %04x", pc);
    for (unsigned lane = 0; lane < 32; lane++)
        sink_print(s, " %u", used->place[lane]);
    sink_print(s, "\n");
}

bool write_code(const struct accelsim_writer *w, struct status *status)
{
    const struct trace_launch *l = w->launch;
    char path[WRITE_PATH + WRITE_SUFFIX], text[ISA_TEXT];
    uint32_t known = 0;
    for (uint32_t i = 0; i < l->code_count; i++)
        known += l->code[i].described == NULL;
    if (!w->format.code || known == 0)
        return true;
    write_path(w, w->report.kernels, ".sass", path);
    struct sink *s = sink_open(path, ACCELSIM_PLAIN, status);
    if (!s)
        return false;
    put_facts(s, l);
    for (uint32_t i = 0; i < l->code_count; i++) {
        const struct isa_inst *isa = &l->code[i].isa;
        if (l->code[i].described)
            continue;
        isa_print(isa, text);
        sink_print(s, "%04x %016" PRIx64 "%016" PRIx64 " %s\n", 16 * i, isa->word.hi, isa->word.lo, text);
        put_places(s, 16 * i, w->used[i]);
    }
    return sink_close(s, status);
}
