#include "hazard/distance.h"

#include "isa/resources.h"
#include "isa/stall.h"

static const struct isa_op_info *info_of(const struct isa_inst *inst) { return isa_op_info((enum isa_op)inst->op); }

/* ---- what an instruction is -------------------------------------------------------------------------------------- */

bool hazard_is_variable(const struct isa_inst *inst, unsigned sm)
{
    const struct isa_op_info *info = info_of(inst);
    if (inst->control.write_sb != ISA_NO_SB || inst->control.read_sb != ISA_NO_SB)
        return true;
    switch (inst->op) {
    case ISA_OP_CREDUX:
    case ISA_OP_ELECT: return false;
    case ISA_OP_DMMA:
    case ISA_OP_LDCU:
    case ISA_OP_BMOV: return true;
    case ISA_OP_R2UR: return sm < 90;
    default: break;
    }
    if (info->latency == ISA_LATENCY_FP64) /* fixed where every sub-core has the lanes, and no smaller chip runs it */
        return sm != 90 && sm != 100;
    if (info->latency == ISA_LATENCY_TENSOR)
        return sm == 75;
    return !isa_latency_fixed(info->latency);
}

bool hazard_is_unknown(const struct isa_inst *inst)
{
    switch (inst->op) {
    case ISA_OP_HGMMA:
    case ISA_OP_IGMMA:
    case ISA_OP_BGMMA:
    case ISA_OP_QGMMA:
    case ISA_OP_LDTM:
    case ISA_OP_STTM:
    case ISA_INVALID: return true;
    default: return false;
    }
}

enum hazard_consumer hazard_consumer_of(const struct isa_inst *inst, unsigned sm)
{
    switch (inst->op) {
    case ISA_OP_LDC:
    case ISA_OP_SYNCS_ARRIVE:
    case ISA_OP_SYNCS_PHASECHK:
    case ISA_OP_SYNCS_LD:
    case ISA_OP_SYNCS_EXCH:
    case ISA_OP_SYNCS_ULD:
    case ISA_OP_MATCH:
    case ISA_OP_R2UR:
    case ISA_OP_REDUX:
    case ISA_OP_CREDUX:
    case ISA_OP_VOTEU: return CONSUMER_FAST_QUEUE;
    default: break;
    }
    switch (info_of(inst)->pipe) {
    case ISA_PIPE_ALU: return CONSUMER_ALU;
    case ISA_PIPE_FMA: return CONSUMER_FMA;
    case ISA_PIPE_FMAHEAVY: return CONSUMER_FMAHEAVY;
    case ISA_PIPE_FP16: return CONSUMER_HALF;
    case ISA_PIPE_FP64: return hazard_is_variable(inst, sm) ? CONSUMER_FAST_QUEUE : CONSUMER_FP64;
    case ISA_PIPE_TENSOR: return CONSUMER_TENSOR;
    case ISA_PIPE_UNIFORM: return CONSUMER_UNIFORM;
    case ISA_PIPE_XU:
    case ISA_PIPE_TEX: return CONSUMER_FAST_QUEUE;
    case ISA_PIPE_CBU: return CONSUMER_CONTROL;
    case ISA_PIPE_FE:
    case ISA_PIPE_ADU:
    case ISA_PIPE_LSU:
    case ISA_PIPE_COUNT: break;
    }
    return CONSUMER_QUEUE;
}

bool hazard_reads_late(const struct isa_inst *consumer, unsigned resource)
{
    return consumer->op == ISA_OP_IMAD && consumer->c.kind == ISA_REG && consumer->c.words == 2 &&
           resource == (unsigned)consumer->c.index + 1;
}

/* Bulk copies and others of the uniform pipe take their uniform registers later, and hold read counters for them; LDCU
 * never does, and compiled code overwrites its index in the next cycle (docs/hazards.md). */
bool hazard_reads_at_issue(const struct isa_inst *inst, unsigned resource)
{
    if (resource < RESOURCE_UNIFORM)
        return false;
    return resource >= RESOURCE_PREDICATE || info_of(inst)->pipe != ISA_PIPE_UNIFORM || inst->op == ISA_OP_LDCU;
}

/* ---- latencies --------------------------------------------------------------------------------------------------- */

/* To a queue a result must be in the register file: the bypass serves the datapaths only (MICRO 2025 paper, result
 * queue). Instructions of the fast queues take theirs a cycle later, and need no more than a datapath: so compiled on
 * sm_80 and later. */
static unsigned from_math(unsigned latency, enum hazard_consumer consumer)
{
    return consumer == CONSUMER_QUEUE ? latency + 1 : latency;
}

/* MICRO 2025 paper: 4. From sm_90 on the ALU takes the lower half of a wide product a cycle earlier: compiled. */
static unsigned from_product(const struct isa_inst *producer, unsigned resource, enum hazard_consumer consumer,
                             unsigned sm)
{
    bool lower = producer->op == ISA_OP_IMAD && producer->d.words == 2 && resource == producer->d.index;
    return lower && sm >= 90 && consumer == CONSUMER_ALU ? 3 : from_math(4, consumer);
}

/* CS2R: compiled. */
static unsigned from_clock(const struct isa_inst *producer, enum hazard_consumer consumer, unsigned sm)
{
    if (consumer != CONSUMER_ALU)
        return 5;
    if (producer->d.words == 2)
        return 6;
    return sm >= 120 ? 5 : 4;
}

/* MICRO 2025 paper: 4. */
static unsigned from_alu(const struct isa_inst *producer, enum hazard_consumer consumer, unsigned sm)
{
    return producer->op == ISA_OP_CS2R ? from_clock(producer, consumer, sm) : from_math(4, consumer);
}

/* Packed: 4 to itself, 5 to other datapaths; Turing, where the tensor core executes it: 6 (MICRO 2025 paper and
 * compiled code). */
static unsigned from_half(enum hazard_consumer consumer, unsigned sm)
{
    if (sm == 75)
        return from_math(6, consumer);
    return consumer == CONSUMER_HALF || consumer == CONSUMER_FAST_QUEUE || consumer == CONSUMER_CONTROL ? 4 : 5;
}

/* DFMA of a fixed latency, and HFMA2.MMA, which the FP64 pipe executes: compiled. */
static unsigned from_double(enum hazard_consumer consumer, unsigned sm)
{
    switch (consumer) {
    case CONSUMER_FP64: return sm >= 90 ? 8 : 6;
    case CONSUMER_FAST_QUEUE:
    case CONSUMER_CONTROL: return 6;
    case CONSUMER_QUEUE: return 7;
    case CONSUMER_FMAHEAVY: return 8;
    default: return 10;
    }
}

/* By the registers of A, which say how much a matrix instruction multiplies: compiled. Sources of queues a cycle
 * earlier. */
static unsigned from_tensor(const struct isa_inst *producer, enum hazard_consumer consumer, unsigned sm)
{
    bool queue = consumer == CONSUMER_QUEUE || consumer == CONSUMER_FAST_QUEUE;
    if (sm >= 120)
        return producer->op == ISA_OP_IMMA || producer->op == ISA_OP_BMMA ? 26 : 28;
    if (sm >= 100)
        return 19;
    unsigned latency = producer->a.words >= 4 ? 24 : producer->a.words >= 2 ? 16 : 13;
    return queue ? latency - 1 : latency;
}

/* ULDC, UMOV and VOTEU make their result in one step; the others compute. Compiled. */
static unsigned from_uniform(const struct isa_inst *producer, enum hazard_consumer consumer)
{
    switch (producer->op) {
    case ISA_OP_ULDC:
    case ISA_OP_UMOV:
    case ISA_OP_VOTEU: return 2;
    case ISA_OP_R2UR: return 13;
    case ISA_OP_CREDUX: return 10;
    default: break;
    }
    switch (consumer) {
    case CONSUMER_UNIFORM: return 4;
    case CONSUMER_QUEUE: return 8;
    case CONSUMER_FAST_QUEUE:
    case CONSUMER_CONTROL: return 9;
    default: return 6;
    }
}

/* Predicates: the ALU and IMAD take them as operands (a carry) like registers; guards, branches and queues when they
 * are in the predicate file. Compiled, and the public simulator's 13. */
static unsigned from_predicate(const struct isa_inst *producer, enum hazard_consumer consumer, unsigned sm)
{
    bool of_double = info_of(producer)->latency == ISA_LATENCY_FP64;
    unsigned filed = (sm == 75 ? 12u : 13u) + of_double;
    switch (consumer) {
    case CONSUMER_ALU:
    case CONSUMER_FMA:
    case CONSUMER_FMAHEAVY: return of_double ? 6 : 4;
    case CONSUMER_HALF: return of_double ? 6 : 5;
    case CONSUMER_FP64: return of_double ? 6 : filed;
    default: return filed;
    }
}

static unsigned from_uniform_predicate(const struct isa_inst *producer, enum hazard_consumer consumer, unsigned sm)
{
    if (producer->op == ISA_OP_VOTEU && consumer == CONSUMER_UNIFORM)
        return 1;
    switch (consumer) {
    case CONSUMER_UNIFORM: return 4;
    case CONSUMER_GUARD: return sm >= 90 ? 5 : 11;
    case CONSUMER_ALU:
    case CONSUMER_FMA:
    case CONSUMER_FMAHEAVY: return 6;
    default: return 9;
    }
}

unsigned hazard_distance(const struct isa_inst *producer, unsigned resource, enum hazard_consumer consumer, unsigned sm)
{
    const struct isa_op_info *info = info_of(producer);
    if (resource >= RESOURCE_BARRIER)
        return 1;
    if (resource >= RESOURCE_UNIFORM_PREDICATE)
        return from_uniform_predicate(producer, consumer, sm);
    if (resource >= RESOURCE_PREDICATE)
        return info->pipe == ISA_PIPE_UNIFORM && consumer != CONSUMER_GUARD ? 8
                                                                            : from_predicate(producer, consumer, sm);
    switch (info->pipe) {
    case ISA_PIPE_ALU: return from_alu(producer, consumer, sm);
    case ISA_PIPE_FMA: return from_math(4, consumer);
    case ISA_PIPE_FMAHEAVY: return from_product(producer, resource, consumer, sm);
    case ISA_PIPE_FP16: return from_half(consumer, sm);
    case ISA_PIPE_FP64: return from_double(consumer, sm);
    case ISA_PIPE_TENSOR: return from_tensor(producer, consumer, sm);
    case ISA_PIPE_UNIFORM: return from_uniform(producer, consumer);
    default: return 1;
    }
}

unsigned hazard_write_latency(const struct isa_inst *inst, unsigned resource, unsigned sm)
{
    enum { LEAST_VARIABLE = 8 }; /* the shortest of all is longer than any datapath's; assumed */
    if (hazard_is_variable(inst, sm))
        return LEAST_VARIABLE;
    if (inst->op == ISA_OP_CS2R)
        return inst->d.words == 2 ? 5 : 4;
    switch (info_of(inst)->pipe) {
    case ISA_PIPE_FP64: return resource >= RESOURCE_PREDICATE ? 6 : 8;
    case ISA_PIPE_TENSOR: return hazard_distance(inst, resource, CONSUMER_FAST_QUEUE, sm);
    case ISA_PIPE_FP16: return sm == 75 ? 6 : 4;
    case ISA_PIPE_UNIFORM: return hazard_distance(inst, resource, CONSUMER_UNIFORM, sm);
    default: return 4;
    }
}

unsigned hazard_stall(struct isa_control control, unsigned sm) { return isa_stall(control, isa_stall_sleep(sm)); }
