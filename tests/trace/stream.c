#include "stream.h"

#include <unistd.h>

#include "../unit.h"
#include "base/bits.h"
#include "base/file.h"
#include "base/hash.h"

static uint64_t add(uint64_t h, uint64_t v) { return hash_mix(h ^ v); }

uint64_t issued_hash(uint64_t h, const struct issued *is, bool two)
{
    bool access = is->active && is->space != ISA_SPACE_NONE;
    bool barrier = is->flow == ISSUED_AT_BARRIER || is->barrier_arrive;
    uint32_t zero_fill = access ? is->zero_fill : 0;
    h = add(h, is->pc | (uint64_t)is->path << 32);
    h = add(h, is->active | (uint64_t)is->flow << 32 | (uint64_t)is->barrier_arrive << 40 | (uint64_t)is->sleep << 48);
    h = add(h, is->values);
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
    snprintf(path, 4096, "%s/subcore-trace-%ld.trace", file_temporary_folder(), (long)getpid());
    return path;
}

struct trace_launch test_launch(uint32_t ctas, uint32_t threads)
{
    static const struct word128 nop = {UINT64_C(0x0000000000007918), UINT64_C(0x000fc00000000000)};
    static const struct word128 ldgsts = {UINT64_C(0x00000000020b7fae), UINT64_C(0x0003e2000b901c4c)};
    struct status status = {0};
    struct isa_decoder *decoder = isa_decoder_create(80, &status);
    struct trace_launch launch = {.name = strdup("wild"),
                                  .architecture = 80,
                                  .grid = {ctas, 1, 1},
                                  .block = {threads, 1, 1},
                                  .registers = 8,
                                  .control_bits = true,
                                  .code = calloc(TEST_CODE, sizeof *launch.code),
                                  .code_count = TEST_CODE};
    assert_non_null(launch.code);
    assert_non_null(decoder);
    for (uint32_t i = 0; i < TEST_CODE; i++)
        assert_true(isa_decode(decoder, test_copies(i * 16) ? ldgsts : nop, i * 16, &launch.code[i].isa));
    assert_int_equal(launch.code[TEST_COPY].isa.op, ISA_OP_LDGSTS);
    isa_decoder_destroy(decoder);
    return launch;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

void trial_begin(struct trial *t, uint32_t ctas, uint32_t threads)
{
    *t = (struct trial){0};
    struct trace_launch launch = test_launch(ctas, threads);
    t->writer = trace_writer_create(trace_test_path(t->path), NULL, &t->status);
    assert_non_null(t->writer);
    assert_true(trace_writer_begin(t->writer, &launch, &t->status));
    trace_launch_free(&launch);
}

void trial_reopen(struct trial *t)
{
    bool ok = trace_writer_end(t->writer, false, &t->status) && trace_writer_finish(t->writer, &t->status);
    if (!ok)
        fail_msg("%s", t->status.text);
    trace_writer_destroy(t->writer);
    t->file = trace_open(t->path, &t->status);
    t->kernel = t->file ? trace_kernel_open(t->file, 0, &t->status) : NULL;
    t->cursor = t->kernel ? trace_cursor_create(t->kernel) : NULL;
    if (!t->cursor)
        fail_msg("%s", t->status.text);
}

void trial_end(struct trial *t)
{
    trace_cursor_destroy(t->cursor);
    trace_kernel_close(t->kernel);
    trace_close(t->file);
    unlink(t->path);
}

/* ---- wild warps -------------------------------------------------------------------------------------------------- */

static uint64_t draw(struct wild *w, uint64_t below) { return hash_mix(w->seed ^ hash_mix(w->step++)) % below; }

void wild_begin(struct wild *w, uint64_t seed)
{
    *w = (struct wild){.seed = hash_mix(seed), .hash = HASH_SEED};
    w->is.path = draw(w, 3) ? UINT32_MAX : (uint32_t)draw(w, UINT32_MAX) | 1;
    w->is.pc = (uint32_t)draw(w, TEST_CODE / 2) * 16;
}

/* Addresses with a stride, or in no order. Now and then over the ends of the address space, but those of copies, which
 * the reader checks. */
static void wild_addresses(struct wild *w)
{
    unsigned k = (unsigned)draw(w, 4);
    uint64_t stride = draw(w, 3) ? 4 : draw(w, 600) - 300, spread = UINT64_C(1) << draw(w, 64);
    bool ordered = draw(w, 4);
    uint64_t mask = test_copies(w->is.pc) ? UINT64_MAX >> 1 : UINT64_MAX;
    w->base[k] += draw(w, 5) ? 128 : draw(w, 4) ? draw(w, 1 << 24) : draw(w, UINT64_MAX);
    for (unsigned lane = 0; lane < 32; lane++) {
        w->is.address[lane] = (w->base[k] + (ordered ? lane * stride : draw(w, spread))) & mask;
        w->is.shared[lane] = (uint32_t)(ordered ? 16 * lane : draw(w, 1 << 16));
    }
}

static void wild_access(struct wild *w)
{
    static const uint8_t bytes[] = {1, 2, 4, 8, 16};
    w->is.space = (uint8_t)(test_copies(w->is.pc) ? ISA_SPACE_GLOBAL : draw(w, ISA_SPACE_GENERIC + 1u));
    w->is.bytes = bytes[draw(w, 5)];
    w->is.zero_fill = draw(w, 10) ? 0 : (uint32_t)draw(w, UINT32_MAX);
    w->is.cache_policy = draw(w, 8) ? 0 : draw(w, 3) ? UINT64_C(0x14f0000000000000) : draw(w, UINT64_MAX);
    wild_addresses(w);
}

void wild_next(struct wild *w, unsigned calm)
{
    static const uint16_t sleeps[] = {1, 20, UINT16_MAX};
    struct issued *is = &w->is;
    bool otherwise = draw(w, 100) >= calm;
    if (w->instructions)
        is->pc = (otherwise && !draw(w, 4)) || is->pc / 16 + 1 >= TEST_CODE ? (uint32_t)draw(w, TEST_CODE) * 16
                                                                            : is->pc + 16;
    if (otherwise && !draw(w, 4) && w->instructions)
        is->path = draw(w, 3) ? (uint32_t)draw(w, UINT32_MAX) | 2 : UINT32_MAX;
    is->active = !otherwise || draw(w, 3) ? is->path : is->path & (uint32_t)draw(w, UINT32_MAX);
    is->flow = (uint8_t)(otherwise ? draw(w, 4) : ISSUED_NEXT);
    is->barrier_arrive = otherwise && !draw(w, 6);
    is->barrier = (uint8_t)draw(w, 17);
    is->barrier_warps = (uint16_t)draw(w, 40);
    is->sleep = (uint16_t)(otherwise && !draw(w, 5) ? sleeps[draw(w, 3)] : 0u);
    is->values = (uint8_t)(otherwise && !draw(w, 5) ? 1 + draw(w, 32) : 0u);
    is->next_pc = (uint32_t)draw(w, UINT32_MAX);
    is->space = ISA_SPACE_NONE;
    if (otherwise || w->instructions % 5 == 0 || test_copies(is->pc))
        wild_access(w);
    w->hash = issued_hash(w->hash, is, test_copies(is->pc));
    w->instructions++;
}

struct wild *wild_write(struct trial *t, uint32_t ctas, uint32_t warps, uint32_t length, unsigned calm)
{
    struct wild *all = calloc((size_t)ctas * warps, sizeof *all);
    uint32_t live = ctas * warps;
    assert_non_null(all);
    for (uint32_t i = 0; i < ctas * warps; i++)
        wild_begin(&all[i], i);
    while (live)
        for (uint32_t i = 0; i < ctas * warps; i++) {
            struct wild *w = &all[i];
            uint32_t end = length + i % 7 * (length / 8);
            struct trace_stream *s =
                w->instructions < end ? trace_writer_stream(t->writer, i / warps, i % warps) : NULL;
            for (unsigned turn = 0; turn < 50 && w->instructions < end; turn++) {
                wild_next(w, calm);
                trace_stream_add(s, &w->is);
            }
            if (!s || w->instructions < end)
                continue;
            trace_stream_end(s);
            live--;
        }
    return all;
}

void wild_compare(struct trace_cursor *cursor, const struct wild *w, uint32_t ctas, uint32_t warps)
{
    for (uint32_t i = 0; i < ctas * warps; i++) {
        uint64_t instructions, hash = stream_hash(cursor, i / warps, i % warps, &instructions);
        assert_int_equal(instructions, w[i].instructions);
        assert_int_equal(hash, w[i].hash);
    }
}
