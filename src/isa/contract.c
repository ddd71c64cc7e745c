#include "isa/contract.h"

#include <assert.h>

#include "isa/resources.h"

/* ---- latency classes --------------------------------------------------------------------------------------------- */

enum result {
#define X(id) RESULT_##id,
    ISA_RESULTS(X)
#undef X
};

enum { BY_PIPE = ISA_CONSUMER_COUNT, ISA_CONSUMER_PIPE = BY_PIPE };

struct latency {
    uint16_t from, to; /* architectures on which it is fixed */
    uint8_t told, consumer, result;
    bool reuse;
};

static const struct latency *latency_of(enum isa_latency latency)
{
#define X(id, range, told, reuse, consumer, result, text)                                                              \
    [ISA_LATENCY_##id] = {range, ISA_##told, ISA_CONSUMER_##consumer, RESULT_##result, reuse},
    static const struct latency table[] = {ISA_LATENCIES(X)};
#undef X
    assert(latency < ISA_LATENCY_COUNT);
    return &table[latency];
}

enum { VOLTA = 70 };

bool isa_latency_is_fixed(enum isa_latency latency, unsigned sm)
{
    const struct latency *l = latency_of(latency);
    return sm >= l->from && sm <= l->to;
}

bool isa_is_variable(const struct isa_inst *inst, unsigned sm)
{
    bool counts = inst->control.write_sb != ISA_NO_SB || inst->control.read_sb != ISA_NO_SB;
    if (inst->op == ISA_OP_FCHK && sm < VOLTA) /* code compiled for Pascal never gives it a counter */
        return counts;
    return counts || !isa_latency_is_fixed(isa_op_info((enum isa_op)inst->op)->latency, sm);
}

bool isa_latency_may_be_fixed(enum isa_latency latency) { return latency_of(latency)->from <= latency_of(latency)->to; }

bool isa_latency_may_reuse(enum isa_latency latency) { return latency_of(latency)->reuse; }

enum isa_told isa_latency_told(enum isa_latency latency) { return (enum isa_told)latency_of(latency)->told; }

/* ---- who reads --------------------------------------------------------------------------------------------------- */

static enum isa_consumer by_pipe(enum isa_pipe pipe)
{
    static const uint8_t table[ISA_PIPE_COUNT] = {
#define X(pipe, consumer) [ISA_PIPE_##pipe] = ISA_CONSUMER_##consumer,
        ISA_PIPE_CONSUMERS(X)
#undef X
    };
    return (enum isa_consumer)table[pipe];
}

enum isa_consumer isa_consumer_of(enum isa_op op, bool variable)
{
    const struct isa_op_info *info = isa_op_info(op);
    unsigned by_class = latency_of(info->latency)->consumer;
    enum isa_consumer consumer = by_class == BY_PIPE ? by_pipe(info->pipe) : (enum isa_consumer)by_class;
    bool queued =
        consumer == ISA_CONSUMER_FP64 || consumer == ISA_CONSUMER_TENSOR || consumer == ISA_CONSUMER_CROSS_LANE;
    return variable && queued && isa_latency_told(info->latency) != ISA_UNTOLD ? ISA_CONSUMER_FAST_QUEUE : consumer;
}

enum isa_place isa_place_of(enum isa_op op, bool variable, unsigned resource)
{
    bool uniform = (resource >= RESOURCE_UNIFORM && resource < RESOURCE_PREDICATE) ||
                   (resource >= RESOURCE_UNIFORM_PREDICATE && resource < RESOURCE_BARRIER);
    if (resource_is_predicate(resource) && (variable || isa_consumer_of(op, variable) == ISA_CONSUMER_CONTROL))
        return ISA_PREDICATE_FILE;
    if (uniform)
        return isa_op_info(op)->pipe == ISA_PIPE_UNIFORM ? ISA_BYPASS : ISA_REGISTER_FILE;
    return variable ? ISA_REGISTER_FILE : ISA_BYPASS;
}

bool isa_takes_late(const struct isa_inst *inst, unsigned resource)
{
    bool wide = inst->c.kind == ISA_REG && inst->c.words == 2;
    return isa_op_info((enum isa_op)inst->op)->latency == ISA_LATENCY_PRODUCT && wide &&
           resource == (unsigned)inst->c.index + 1;
}

/* Bulk copies and others of the uniform pipe take their uniform registers later, and hold read counters for them; LDCU
 * and UGETNEXTWORKID never do, and compiled code overwrites their registers (docs/hazards.md). */
bool isa_reads_at_issue(const struct isa_inst *inst, unsigned resource)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)inst->op);
    if (resource < RESOURCE_UNIFORM)
        return false;
    return resource >= RESOURCE_PREDICATE || info->pipe != ISA_PIPE_UNIFORM ||
           info->latency == ISA_LATENCY_UNIFORM_LOAD || inst->op == ISA_OP_UGETNEXTWORKID;
}

/* ---- from producer to consumer ----------------------------------------------------------------------------------- */

struct row {
    uint16_t result, size, from, to;
    uint8_t cycles[ISA_CONSUMER_COUNT], written;
};

static const struct row rows[] = {
#define X(result, size, range, a, b, c, d, e, f, g, h, i, j, k, l, written)                                            \
    {RESULT_##result, size, range, {a, b, c, d, e, f, g, h, i, j, k, l}, written},
    ISA_DISTANCES(X)
#undef X
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct row bounds[] = {
#define X(id, ...) {.result = RESULT_##id, .cycles = {__VA_ARGS__}},
    ISA_BOUNDS(X)
#undef X
};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

static enum result predicate_of(const struct isa_op_info *info)
{
    if (info->pipe == ISA_PIPE_UNIFORM)
        return RESULT_PREDICATE_OF_UNIFORM;
    if (info->latency == ISA_LATENCY_FP64)
        return RESULT_FP64_PREDICATE;
    return info->latency == ISA_LATENCY_HALF_PREDICATE ? RESULT_HALF_PREDICATE : RESULT_PREDICATE;
}

static enum result result_of(const struct isa_inst *inst, unsigned resource)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)inst->op);
    bool predicate = resource_is_predicate(resource);
    if (predicate && resource >= RESOURCE_UNIFORM_PREDICATE)
        return info->latency == ISA_LATENCY_UNIFORM_VOTE ? RESULT_UNIFORM_VOTE_PREDICATE : RESULT_UNIFORM_PREDICATE;
    if (predicate)
        return predicate_of(info);
    if (info->latency == ISA_LATENCY_PRODUCT && inst->d.words == 2 && resource == inst->d.index)
        return RESULT_PRODUCT_LOW;
    return (enum result)latency_of(info->latency)->result;
}

static const struct row *row_of(const struct isa_inst *inst, unsigned resource, unsigned sm)
{
    enum result result = result_of(inst, resource);
    unsigned size = result == RESULT_CLOCK ? inst->d.words : inst->a.words;
    unsigned i = 0;
    while (i < ROWS && (rows[i].result != result || sm < rows[i].from || sm > rows[i].to || size < rows[i].size))
        i++;
    assert(i < ROWS);
    return &rows[i];
}

unsigned isa_distance(const struct isa_inst *producer, unsigned resource, enum isa_consumer consumer, unsigned sm)
{
    return row_of(producer, resource, sm)->cycles[consumer];
}

unsigned isa_distance_bound(const struct isa_inst *producer, unsigned resource, enum isa_consumer consumer)
{
    enum result result = result_of(producer, resource);
    unsigned most = 0;
    for (unsigned i = 0; i < ROWS; i++)
        if (rows[i].result == result && rows[i].to >= VOLTA && rows[i].cycles[consumer] > most)
            most = rows[i].cycles[consumer];
    for (unsigned i = 0; i < BOUNDS; i++)
        if (bounds[i].result == result && bounds[i].cycles[consumer] > most)
            most = bounds[i].cycles[consumer];
    return most;
}

unsigned isa_write_distance(const struct isa_inst *producer, unsigned resource, unsigned sm)
{
    return isa_is_variable(producer, sm) ? ISA_SHORTEST_VARIABLE : row_of(producer, resource, sm)->written;
}
