/* The derived fields of an instruction's entry. */
#include "sm/code.h"
#include "sm/units.h"

/* A tensor instruction whose operands are fragments of four registers reads in a window of twice the length (code
 * published with the MICRO 2025 paper). */
static uint8_t window_of(const struct code *code, const struct config_core *core)
{
    uint32_t window = core->read_window;
    for (unsigned i = 0; i < code->reads; i++)
        if (code->class == CLASS_TENSOR && code->read[i].words >= 4)
            window = 2 * core->read_window;
    return (uint8_t)window;
}

/* Several operands that name the same register share a read. */
static void count_reads(struct code *code)
{
    uint64_t seen[4] = {0};
    unsigned words = 0;
    code->queued_reads[0] = code->queued_reads[1] = 0;
    for (unsigned i = 0; i < code->reads; i++) {
        for (unsigned w = 0; w < code->read[i].words; w++) {
            unsigned reg = (code->read[i].first + w) % 256u;
            code->queued_reads[reg % 2] = (uint8_t)(code->queued_reads[reg % 2] + !(seen[reg / 64] >> reg % 64 & 1));
            seen[reg / 64] |= UINT64_C(1) << reg % 64;
            words++;
        }
    }
    bool plain = words == code->reads && words == (unsigned)code->queued_reads[0] + code->queued_reads[1];
    code->plain = plain ? CODE_PLAIN_READS : 0;
}

static bool issues_plainly(const struct code *code)
{
    enum { SPECIAL = CODE_BRANCH | CODE_DEPBAR | CODE_MEMBAR | CODE_ASYNC_GROUP | CODE_WIDE_IMAD | CODE_QUEUED };
    const uint32_t arithmetic = 1u << CLASS_ALU | 1u << CLASS_ALU_EITHER | 1u << CLASS_FMA | 1u << CLASS_FMAHEAVY |
                                1u << CLASS_FP16 | 1u << CLASS_TENSOR | 1u << CLASS_UNIFORM;
    return (arithmetic >> code->class & 1) && !(code->flags & SPECIAL) && code->write_sb == ISA_NO_SB &&
           code->read_sb == ISA_NO_SB && code->memory == ISA_MEM_NONE && code->mbarrier == CODE_MBARRIER_NONE &&
           code->warpgroup == CODE_NO_PRODUCT && code->tensor == CODE_NO_TENSOR;
}

void code_derive(struct code *code, const struct config_core *core)
{
    /* The queue of results is planned so far ahead. Longer instructions, such as an emulated 4-bit matrix product,
     * are so rare that they find a place. */
    enum { LONGEST_IN_QUEUE = 192 };
    bool queued = class_is_queued((enum issue_class)code->class, core);
    code->flags &= (uint16_t) ~(CODE_FIXED | CODE_QUEUED);
    if (code->memory == ISA_MEM_NONE && code->class != CLASS_ENGINE && code->class != CLASS_TENSOR_ENGINE)
        code->flags |= queued ? CODE_QUEUED : CODE_FIXED;
    code->window = window_of(code, core);
    count_reads(code);
    code->result_latency = code->latency;
    if (code->latency > LONGEST_IN_QUEUE) {
        code->result_parts = 0;
    } else if (code->write_words) { /* a register in each bank, then the rest */
        code->result_parts = (uint8_t)((code->write_words + 1) / 2);
        code->result_banks = (uint8_t)(code->write_words % 2 ? 1u << code->write_first % 2 : 3u);
    } else if (code->result_parts && !(code->flags & CODE_UNIFORM_RESULT)) {
        code->result_latency = (uint16_t)core->predicate_latency;
    }
    code->plain |= issues_plainly(code) ? CODE_PLAIN_ISSUE : 0;
}
