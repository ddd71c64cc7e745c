#include "stream.h"

#include <unistd.h>

#include "../unit.h"
#include "base/bits.h"
#include "base/hash.h"

static uint64_t add(uint64_t h, uint64_t v) { return hash_mix(h ^ v); }

uint64_t issued_hash(uint64_t h, const struct issued *is, bool two)
{
    bool access = is->active && is->space != ISA_SPACE_NONE;
    bool barrier = is->flow == ISSUED_AT_BARRIER || is->barrier_arrive;
    uint32_t zero_fill = access ? is->zero_fill : 0;
    h = add(h, is->pc | (uint64_t)is->path << 32);
    h = add(h, is->active | (uint64_t)is->flow << 32 | (uint64_t)is->barrier_arrive << 40 | (uint64_t)is->sleep << 48);
    h = add(h, barrier ? is->barrier | (uint64_t)is->barrier_warps << 8 : 0);
    h = add(h, access ? is->space | (uint64_t)is->bytes << 8 | (uint64_t)zero_fill << 32 : 0);
    h = add(h, access && is->space == ISA_SPACE_GLOBAL ? is->cache_policy : 0);
    for (uint32_t left = access ? is->active & ~zero_fill : 0; left; left &= left - 1)
        h = add(h, is->address[lowest_bit32(left)]);
    for (uint32_t left = access && two ? is->active : 0; left; left &= left - 1)
        h = add(h, is->shared[lowest_bit32(left)]);
    return h;
}

uint64_t stream_hash(struct trace_cursor *cursor, uint64_t cta, uint32_t warp, uint64_t *instructions)
{
    const struct trace_launch *launch = trace_kernel_launch(trace_cursor_kernel(cursor));
    struct status status = {0};
    struct issued is;
    uint64_t h = HASH_SEED;
    *instructions = 0;
    if (!trace_cursor_seek(cursor, cta, warp, &status))
        fail_msg("%s", status.text);
    uint32_t pc = trace_cursor_pc(cursor);
    memset(&is, 0x5a, sizeof is);
    while (trace_cursor_next(cursor, &is, &status)) {
        assert_int_equal(is.pc, pc);
        assert_false(is.deferred);
        pc = trace_cursor_pc(cursor);
        if (pc != UINT32_MAX)
            assert_int_equal(is.next_pc, pc);
        else
            assert_int_equal(is.next_pc, is.pc + 16);
        enum isa_op op = (enum isa_op)launch->code[is.pc / 16].isa.op;
        h = issued_hash(h, &is, isa_op_info(op)->memory == ISA_MEM_ASYNC_COPY);
        ++*instructions;
    }
    assert_string_equal(status.text, "");
    assert_int_equal(pc, UINT32_MAX);
    return h;
}

const char *trace_test_path(char path[4096])
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, 4096, "%s/subcore-trace-%ld.trace", folder ? folder : "/tmp", (long)getpid());
    return path;
}

struct trace_launch launch_of_nops(uint32_t ctas, uint32_t threads)
{
    enum { COUNT = 32 };
    static const struct word128 nop = {UINT64_C(0x0000000000007918), UINT64_C(0x000fc00000000000)};
    struct trace_launch launch = {.name = strdup("nops"),
                                  .architecture = 80,
                                  .grid = {ctas, 1, 1},
                                  .block = {threads, 1, 1},
                                  .registers = 8,
                                  .control_bits = true,
                                  .code = calloc(COUNT, sizeof *launch.code),
                                  .code_count = COUNT};
    assert_non_null(launch.code);
    for (uint32_t i = 0; i < COUNT; i++)
        launch.code[i].isa = (struct isa_inst){.word = nop, .pc = i * 16, .op = ISA_OP_NOP};
    return launch;
}
