/* Control bits for Pascal. No source tells its distances from producer to consumer (docs/pascal.md). Each instruction
 * therefore waits for all counters, and holds the next one for the longest stall count, which no fixed latency exceeds.
 * Counters tell when a variable latency has ended. */
#include "asm/schedule.h"

#include "isa/contract.h"
#include "isa/resources.h"

enum { ALL_COUNTERS = (1 << ISA_COUNTERS) - 1, WRITE_COUNTER = 0, READ_COUNTER = 1 };

static bool refuse(struct diagnostics *errors, const struct statement *s, const char *message)
{
    return diagnose(errors, s->line, s->column, "%s", message);
}

static void fill(struct statement *s, const struct isa_inst *inst, unsigned sm)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)inst->op);
    struct resources read, written;
    resources_read(inst, &read);
    resources_written(inst, &written);
    s->has_control = s->filled = true;
    s->control = (struct isa_control){
        .stall = ISA_STALL_MOST, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB, .wait = ALL_COUNTERS};
    if (isa_latency_is_fixed(info->latency, sm))
        return;
    s->control.stall = ISA_COUNTER_VISIBLE;
    if (written.count > 0)
        s->control.write_sb = WRITE_COUNTER;
    if (read.count > 0)
        s->control.read_sb = READ_COUNTER;
    if (info->flags & (ISA_BRANCH | ISA_EXIT | ISA_BARRIER | ISA_MEMBAR | ISA_DEPBAR))
        s->control.stall = ISA_STALL_MOST;
}

bool schedule_fill_pascal(struct program *program, uint32_t function, const struct isa_assembler *assembler,
                          struct diagnostics *errors)
{
    struct function *f = &program->functions[function];
    for (size_t i = 0; i < f->count; i++) {
        struct statement *s = &f->code[i];
        struct isa_inst inst;
        if (s->has_control)
            return refuse(errors, s,
                          "on Pascal either all instructions of a kernel have control bits or none: the assembler "
                          "does not count cycles between these and those that it fills in");
        isa_decode(isa_assembler_decoder(assembler), s->word, (uint32_t)(i * INSTRUCTION_BYTES), &inst);
        if (!pascal_translated(&inst))
            return refuse(errors, s, "the control bits of this instruction must be written: its latency is not known");
    }
    for (size_t i = 0; i < f->count; i++) {
        struct isa_inst inst;
        isa_decode(isa_assembler_decoder(assembler), f->code[i].word, (uint32_t)(i * INSTRUCTION_BYTES), &inst);
        fill(&f->code[i], &inst, program->sm);
    }
    return true;
}
