/* Instructions for the harness. */
#include "tests/sm/harness.h"

static struct inst basic(enum issue_class class, enum isa_pipe pipe, uint8_t d)
{
    struct inst i = {
        .code = {.flags = CODE_FIXED, .class = (uint8_t) class, .pipe = (uint8_t)pipe, .interval = 1, .latency = 2},
        .control = {.stall = 1, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB},
        .active = ~UINT32_C(0)};
    if (d != RZ) {
        i.code.write_first = d;
        i.code.write_words = 1;
    }
    return i;
}

static struct inst reading(struct inst i, uint8_t first, uint8_t words, uint8_t position)
{
    if (first != RZ)
        i.code.read[i.code.reads++] = (struct code_read){first, words, position, false};
    return i;
}

static struct inst three(struct inst i, uint8_t a, uint8_t b, uint8_t c)
{
    return reading(reading(reading(i, a, 1, 0), b, 1, 1), c, 1, 2);
}

struct inst nop(void) { return basic(CLASS_FE, ISA_PIPE_FE, RZ); }

struct inst exit_warp(void)
{
    struct inst i = basic(CLASS_CBU, ISA_PIPE_CBU, RZ);
    i.code.flags |= CODE_BRANCH;
    i.exits = true;
    return i;
}

struct inst clock_read(uint8_t d) { return basic(CLASS_ALU, ISA_PIPE_ALU, d); }

struct inst ffma(uint8_t d, uint8_t a, uint8_t b, uint8_t c)
{
    return three(basic(CLASS_FMA, ISA_PIPE_FMA, d), a, b, c);
}

struct inst iadd(uint8_t d, uint8_t a, uint8_t b, uint8_t c)
{
    return three(basic(CLASS_ALU, ISA_PIPE_ALU, d), a, b, c);
}

struct inst imad(uint8_t d, uint8_t a, uint8_t b, uint8_t c)
{
    return three(basic(CLASS_FMAHEAVY, ISA_PIPE_FMAHEAVY, d), a, b, c);
}

struct inst imad_wide(uint8_t d, uint8_t a, uint8_t b, uint8_t c)
{
    struct inst i = basic(CLASS_FMAHEAVY, ISA_PIPE_FMAHEAVY, d);
    i.code.write_words = 2;
    i.code.flags |= CODE_WIDE_IMAD;
    return reading(reading(reading(i, a, 1, 0), b, 1, 1), c, 2, 2);
}

struct inst mufu(uint8_t d, uint8_t a)
{
    struct inst i = basic(CLASS_XU, ISA_PIPE_XU, d);
    i.code.flags = 0;
    return reading(i, a, 1, 1);
}

struct inst fp64(uint8_t d, uint8_t a, uint8_t b, uint8_t c)
{
    struct inst i = basic(CLASS_FP64, ISA_PIPE_FP64, d);
    const uint8_t sources[] = {a, b, c};
    i.code.write_words = 2;
    for (uint8_t k = 0; k < 3; k++)
        i = reading(i, sources[k], 2, k);
    i.code.transfer = (uint8_t)(4 * i.code.reads);
    return i;
}

struct inst ffma_constant(uint8_t d, uint8_t a, uint8_t bank, uint32_t offset, uint8_t c)
{
    struct inst i = ffma(d, a, RZ, c);
    i.code.flags |= CODE_CONSTANT;
    i.code.constant_bank = bank;
    i.code.constant_offset = offset;
    return i;
}

struct inst branch(uint32_t target, uint32_t times)
{
    struct inst i = basic(CLASS_CBU, ISA_PIPE_CBU, RZ);
    i.code.flags |= CODE_BRANCH;
    i.jumps = true;
    i.target = target;
    i.times = times;
    return i;
}

struct inst depbar(uint8_t sb, uint8_t most, uint8_t others)
{
    struct inst i = nop();
    i.code.flags |= CODE_DEPBAR;
    i.code.depbar_sb = sb;
    i.code.depbar_max = most;
    i.code.depbar_list = others;
    i.control.stall = 4;
    return i;
}

struct inst barrier_sync(uint8_t number, uint16_t warps)
{
    struct inst i = basic(CLASS_ADU, ISA_PIPE_ADU, RZ);
    i.barrier = true;
    i.barrier_number = number;
    i.barrier_warps = warps;
    return i;
}

struct inst barrier_arrive(uint8_t number, uint16_t warps)
{
    struct inst i = barrier_sync(number, warps);
    i.arrives = true;
    return i;
}

struct inst membar(enum fence_scope scope)
{
    struct inst i = nop();
    i.code.flags |= CODE_MEMBAR;
    i.code.fence = (uint8_t)scope;
    return i;
}

struct inst ldgdepbar(void)
{
    struct inst i = nop();
    i.code.flags |= CODE_ASYNC_GROUP;
    return i;
}

struct inst nanosleep_for(uint16_t cycles)
{
    struct inst i = basic(CLASS_CBU, ISA_PIPE_CBU, RZ);
    i.sleep = cycles;
    return i;
}

struct inst grid_control(bool waits)
{
    struct inst i = basic(CLASS_CBU, ISA_PIPE_CBU, RZ);
    i.code.op = waits ? ISA_OP_ACQBULK : ISA_OP_PREEXIT;
    i.active = 1;
    return i;
}

struct inst nanosleep_syncs(uint16_t cycles)
{
    struct inst i = nanosleep_for(cycles);
    i.wakes = true;
    return i;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static struct inst memory(enum isa_memory kind, enum isa_space space, bool vector, uint8_t bytes, uint64_t address)
{
    bool global = space == ISA_SPACE_GLOBAL || space == ISA_SPACE_LOCAL;
    struct inst i = basic(global ? CLASS_LG : CLASS_MIO, ISA_PIPE_LSU, RZ);
    i.code.flags = vector ? CODE_VECTOR_ADDRESS : 0;
    i.code.memory = (uint8_t)kind;
    i.code.space = (uint8_t)space;
    i.code.data_words = bytes <= 4 ? 1 : bytes / 4;
    i.bytes = bytes;
    i.base = address;
    i.stride = bytes;
    return i;
}

static struct inst loading(struct inst i, uint8_t d)
{
    i.code.write_first = d;
    i.code.write_words = (uint8_t)i.code.data_words;
    return i;
}

struct inst ldg(uint8_t d, bool vector, uint8_t bytes, uint64_t address)
{
    return loading(memory(ISA_MEM_LOAD, ISA_SPACE_GLOBAL, vector, bytes, address), d);
}

static struct inst of_texture_unit(struct inst i, enum isa_op op)
{
    i.code.class = CLASS_TEX;
    i.code.pipe = ISA_PIPE_TEX;
    i.code.op = (uint16_t)op;
    i.code.flags |= CODE_IN_ORDER;
    i.code.data_words = i.code.write_words = 1;
    return i;
}

struct inst texture(enum isa_op op, uint8_t bytes, uint64_t address, struct issued_texture reads)
{
    struct inst i = of_texture_unit(ldg(4, true, bytes, address), op);
    i.operand = issued_pack_texture(reads);
    return i;
}

struct inst surface_load(uint64_t address) { return of_texture_unit(ldg(4, true, 4, address), ISA_OP_SULD_D); }

struct inst stg(bool vector, uint8_t bytes, uint64_t address)
{
    return memory(ISA_MEM_STORE, ISA_SPACE_GLOBAL, vector, bytes, address);
}

struct inst lds(uint8_t d, bool vector, uint8_t bytes, uint64_t offset)
{
    return loading(memory(ISA_MEM_LOAD, ISA_SPACE_SHARED, vector, bytes, offset), d);
}

struct inst sts(bool vector, uint8_t bytes, uint64_t offset)
{
    return memory(ISA_MEM_STORE, ISA_SPACE_SHARED, vector, bytes, offset);
}

struct inst atoms(uint8_t d, uint64_t offset)
{
    return loading(memory(ISA_MEM_ATOMIC, ISA_SPACE_SHARED, true, 4, offset), d);
}

static struct inst object(enum code_mbarrier kind, uint64_t offset)
{
    struct inst i = memory(ISA_MEM_ATOMIC, ISA_SPACE_SHARED, true, 0, offset);
    i.code.mbarrier = (uint8_t)kind;
    i.code.data_words = 1;
    i.active = 1;
    return i;
}

struct inst syncs_arrive(uint64_t offset) { return object(CODE_MBARRIER_OPERATION, offset); }

struct inst syncs_wait(uint64_t offset)
{
    struct inst i = object(CODE_MBARRIER_WAIT, offset);
    i.deferred = true;
    return i;
}

struct inst arrives(uint64_t offset) { return object(CODE_MBARRIER_COPIES, offset); }

struct inst atomg(uint8_t d, uint64_t address)
{
    struct inst i = loading(memory(ISA_MEM_ATOMIC, ISA_SPACE_GLOBAL, true, 4, address), d);
    i.deferred = true;
    return i;
}

struct inst red(uint64_t address)
{
    struct inst i = memory(ISA_MEM_REDUCTION, ISA_SPACE_GLOBAL, true, 4, address);
    i.deferred = true;
    return i;
}

struct inst ldgsts(uint8_t bytes, uint64_t address)
{
    return memory(ISA_MEM_ASYNC_COPY, ISA_SPACE_GLOBAL, true, bytes, address);
}

struct inst ldc(uint8_t d, bool vector, uint8_t bytes, uint8_t bank, uint32_t offset)
{
    struct inst i = loading(memory(ISA_MEM_LOAD, ISA_SPACE_CONSTANT, vector, bytes, (uint64_t)bank << 16 | offset), d);
    i.stride = 0;
    return i;
}

struct inst tensor(enum code_tensor kind, uint8_t reg, uint8_t words)
{
    struct inst i = basic(CLASS_MIO, ISA_PIPE_LSU, RZ);
    i.code.flags = 0;
    i.code.memory = CODE_QUEUE_ONLY;
    i.code.tensor = (uint8_t)kind;
    i.code.data_words = words;
    if (kind == CODE_TENSOR_LOAD)
        return loading(i, reg);
    return kind == CODE_TENSOR_STORE ? reading(i, reg, words, 0) : i;
}

struct inst shfl(uint8_t d, uint8_t a)
{
    struct inst i = reading(loading(memory(ISA_MEM_SHUFFLE, ISA_SPACE_NONE, false, 4, 0), d), a, 1, 0);
    i.code.op = ISA_OP_SHFL;
    return i;
}

struct inst match(uint8_t d, uint8_t a, uint8_t values)
{
    struct inst i = reading(loading(memory(ISA_MEM_SHUFFLE, ISA_SPACE_NONE, false, 4, 0), d), a, 1, 0);
    i.code.memory = CODE_QUEUE_VALUES;
    i.code.op = ISA_OP_MATCH;
    i.values = values;
    return i;
}

struct inst s2r(uint8_t d)
{
    struct inst i = loading(memory(ISA_MEM_SHUFFLE, ISA_SPACE_NONE, false, 4, 0), d);
    i.code.op = ISA_OP_S2R;
    return i;
}

struct inst cctl_ivall(void)
{
    struct inst i = memory(ISA_MEM_SHUFFLE, ISA_SPACE_NONE, false, 4, 0);
    i.code.op = ISA_OP_CCTL;
    i.code.flags |= CODE_INVALIDATE;
    return i;
}

struct inst atoms_cas(uint8_t d, uint64_t offset)
{
    struct inst i = atoms(d, offset);
    i.code.flags |= CODE_COMPARE;
    return i;
}

struct inst ldsm(uint8_t d, uint8_t matrices)
{
    struct inst i = lds(d, true, 16, 0);
    i.code.matrices = matrices;
    i.code.data_words = matrices;
    i.code.write_words = matrices;
    return i;
}

struct inst in_order(struct inst i)
{
    i.code.flags |= CODE_IN_ORDER;
    i.deferred = true;
    return i;
}

/* ---- adverbs ---------------------------------------------------------------------------------------------------- */

struct inst stall(struct inst i, uint8_t cycles)
{
    i.control.stall = cycles;
    return i;
}

struct inst yields(struct inst i)
{
    i.control.yield = true;
    return i;
}

struct inst waits(struct inst i, uint8_t mask)
{
    i.control.wait |= mask;
    return i;
}

struct inst writes_sb(struct inst i, uint8_t sb)
{
    i.control.write_sb = sb;
    return i;
}

struct inst reads_sb(struct inst i, uint8_t sb)
{
    i.control.read_sb = sb;
    return i;
}

struct inst reuse(struct inst i, unsigned mask)
{
    for (unsigned r = 0; r < i.code.reads; r++)
        i.code.read[r].reuse = mask >> i.code.read[r].position & 1;
    return i;
}

struct inst strided(struct inst i, uint64_t lane, uint64_t slot)
{
    i.stride = lane;
    i.slot_stride = slot;
    return i;
}

struct inst lanes(struct inst i, uint32_t active)
{
    i.active = active;
    return i;
}

struct inst scattered(struct inst i, const uint32_t offsets[32])
{
    i.offsets = offsets;
    return i;
}

struct inst load(uint64_t address, uint8_t sb) { return stall(writes_sb(ldg(4, true, 4, address), sb), 2); }
