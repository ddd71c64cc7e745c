/* Replays of traces that are written here, instruction by instruction: where accesses go, and the messages about traces
 * and GPUs that do not fit. */
#include <unistd.h>

#include "gpu/gpu.h"
#include "isa/assemble.h"
#include "tests/temporary.h"
#include "trace/writer.h"

enum { LOAD_LOCAL, LOAD_FIRST, STORE, REDUCE, LOAD, LAST, COUNT };

#define LINES UINT64_C(0x710000000000)
enum { FAR = 1 << 20 };

static const char *const text[COUNT] = {"LDL R2, [R0]",      "LDG.E R2, [R4.64]",
                                        "STG.E [R4.64], R2", "RED.E.ADD.STRONG.GPU [R4.64], R2",
                                        "LDG.E R2, [R4.64]", "EXIT"};

struct rig {
    char path[TEMPORARY_PATH];
    struct trace_launch launch;
    struct trace_writer *writer;
    struct trace_file *file;
    struct trace_kernel *kernel;
    struct gpu *gpu;
    struct kernel_result result;
    struct status status;
};

static void check(struct rig *r, bool ok)
{
    if (!ok)
        fail_msg("%s", r->status.text);
}

/* Each instruction waits for the load of the one before. */
static void write_code(struct rig *r)
{
    struct isa_assembler *assembler = isa_assembler_create(r->launch.architecture, &r->status);
    struct isa_asm_error error;
    r->launch.code = calloc(COUNT, sizeof *r->launch.code);
    r->launch.code_count = COUNT;
    for (uint32_t i = 0; i < COUNT; i++) {
        bool load = i == LOAD_LOCAL || i == LOAD_FIRST || i == LOAD;
        struct isa_control control = {
            .stall = (uint8_t)(i == LAST ? 5 : 2), .write_sb = load ? 0 : ISA_NO_SB, .read_sb = ISA_NO_SB, .wait = 1};
        struct word128 word;
        if (!isa_assemble(assembler, text[i], strlen(text[i]), i * 16, NULL, NULL, &word, &error))
            fail_msg("%s: %s", text[i], error.message);
        isa_control_encode(control, &word);
        assert_true(isa_decode(isa_assembler_decoder(assembler), word, i * 16, &r->launch.code[i].isa));
    }
    isa_assembler_destroy(assembler);
}

static void rig_begin(struct rig *r, uint32_t ctas, uint32_t threads)
{
    *r = (struct rig){.launch = {.name = strdup("written"),
                                 .architecture = 80,
                                 .grid = {ctas, 1, 1},
                                 .block = {threads, 1, 1},
                                 .registers = 8,
                                 .local_bytes = 64,
                                 .local_base = UINT64_C(0x700000000000),
                                 .code_address = UINT64_C(0x600000000000),
                                 .control_bits = true}};
    temporary_file(r->path);
    write_code(r);
    r->writer = trace_writer_create(r->path, &(struct trace_origin){0}, &r->status);
    check(r, r->writer && trace_writer_begin(r->writer, &r->launch, &r->status));
}

static void rig_open_with(struct rig *r, const char *gpu, const char *set, struct gpu_options options)
{
    struct config config;
    check(r, config_load(&config, gpu, &r->status) && (!set || config_set(&config, set, &r->status)));
    r->file = trace_open(r->path, &r->status);
    check(r, r->file);
    r->kernel = trace_kernel_open(r->file, 0, &r->status);
    check(r, r->kernel);
    r->gpu = gpu_create(&config, &options, &r->status);
    check(r, r->gpu);
}

static void rig_open(struct rig *r, const char *gpu, const char *set, unsigned threads, bool passes_damage)
{
    rig_open_with(r, gpu, set, (struct gpu_options){.threads = threads, .passes_damage = passes_damage});
}

static bool rig_replay(struct rig *r) { return gpu_replay(r->gpu, r->kernel, &r->result, &r->status); }

static void rig_close(struct rig *r)
{
    trace_kernel_close(r->kernel);
    trace_close(r->file);
    gpu_destroy(r->gpu);
}

static void rig_end(struct rig *r)
{
    rig_close(r);
    trace_launch_free(&r->launch);
    unlink(r->path);
}

/* The instruction at index `i`, of all lanes, each at `address` and 4 bytes further on from lane to lane. */
static struct issued at(uint32_t i, enum isa_space space, uint64_t address, uint64_t stride)
{
    struct issued is = {.pc = i * 16,
                        .path = UINT32_MAX,
                        .active = UINT32_MAX,
                        .flow = i == LAST ? ISSUED_EXITED : ISSUED_NEXT,
                        .space = (uint8_t)space,
                        .bytes = space == ISA_SPACE_NONE ? 0 : 4};
    for (unsigned lane = 0; lane < 32; lane++)
        is.address[lane] = address + lane * stride;
    return is;
}

/* A warp that loads its line, stores to another, adds to `reduced`, and loads its line again. */
static void write_warp(struct rig *r, uint64_t cta, uint32_t warp, uint64_t line, uint64_t reduced)
{
    struct trace_stream *s = trace_writer_stream(r->writer, cta, warp);
    assert_non_null(s);
    struct issued is[COUNT] = {at(LOAD_LOCAL, ISA_SPACE_LOCAL, 8, 0),      at(LOAD_FIRST, ISA_SPACE_GLOBAL, line, 4),
                               at(STORE, ISA_SPACE_GLOBAL, line + FAR, 4), at(REDUCE, ISA_SPACE_GLOBAL, reduced, 4),
                               at(LOAD, ISA_SPACE_GLOBAL, line, 4),        at(LAST, ISA_SPACE_NONE, 0, 0)};
    for (uint32_t i = 0; i < COUNT; i++)
        trace_stream_add(s, &is[i]);
    trace_stream_end(s);
}

static void finish(struct rig *r, bool complete)
{
    check(r, trace_writer_end(r->writer, complete, &r->status) && trace_writer_finish(r->writer, &r->status));
    trace_writer_destroy(r->writer);
}

static void write_grid(struct rig *r, uint32_t ctas, uint32_t threads)
{
    rig_begin(r, ctas, threads);
    for (uint32_t c = 0; c < ctas; c++)
        for (uint32_t w = 0; w < (threads + 31) / 32; w++)
            write_warp(r, c, w, LINES + (c * 8 + w) * 128, LINES + 2 * FAR);
    finish(r, true);
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

/* The same offset of 32 threads is a line, and no two warps share one. */
static void local_memory_is_where_the_warp_slot_has_it(void **state)
{
    (void)state;
    struct rig one, two;
    write_grid(&one, 1, 32);
    write_grid(&two, 1, 64);
    rig_open(&one, "a100", "launch.upload=false", 1, false);
    rig_open(&two, "a100", "launch.upload=false", 1, false);
    check(&one, rig_replay(&one));
    check(&two, rig_replay(&two));
    assert_int_equal(one.result.sm.l1_sectors_local_load, 4);
    assert_int_equal(two.result.sm.l1_sectors_local_load, 8);
    assert_int_equal(two.result.sm.l1_sectors_local_load_hit, 0);
    rig_end(&one);
    rig_end(&two);
}

static uint64_t hits_of_a_warp(uint64_t reduced)
{
    struct rig r;
    rig_begin(&r, 1, 32);
    write_warp(&r, 0, 0, LINES, reduced);
    finish(&r, true);
    rig_open(&r, "a100", NULL, 1, false);
    check(&r, rig_replay(&r));
    rig_end(&r);
    return r.result.sm.l1_sectors_load_hit;
}

/* The L1 has the line, but not the reduction's result. */
static void a_load_behind_a_reduction_of_its_bytes_goes_to_the_slice(void **state)
{
    (void)state;
    assert_int_equal(hits_of_a_warp(LINES + 2 * FAR), 4);
    assert_int_equal(hits_of_a_warp(LINES), 0);
    assert_int_equal(hits_of_a_warp(LINES + 124), 0); /* one lane of the load */
    assert_int_equal(hits_of_a_warp(LINES + 128), 4);
}

static void the_result_does_not_depend_on_threads(void **state)
{
    (void)state;
    struct rig r;
    struct kernel_result one;
    write_grid(&r, 300, 96);
    rig_open(&r, "a100", NULL, 1, false);
    check(&r, rig_replay(&r));
    assert_int_equal(r.result.warp_instructions, 300 * 3 * COUNT);
    assert_int_equal(r.result.thread_instructions, 300 * 3 * COUNT * 32);
    one = r.result;
    rig_close(&r);
    rig_open(&r, "a100", NULL, 3, false);
    check(&r, rig_replay(&r));
    one.host_seconds = r.result.host_seconds;
    one.threads = r.result.threads;
    assert_memory_equal(&one, &r.result, sizeof one);
    rig_end(&r);
}

/* ---- misfits ------------------------------------------------------------------------------------------- */

static void expect_text(const struct rig *r, const char *piece)
{
    if (!strstr(r->status.text, piece))
        fail_msg("'%s' is not in: %s", piece, r->status.text);
}

static void control_bits_are_for_their_architecture_and_a_scoreboard_for_any(void **state)
{
    (void)state;
    struct rig r;
    write_grid(&r, 2, 32);
    rig_open(&r, "rtx-5080", NULL, 1, false);
    assert_false(rig_replay(&r));
    assert_int_equal(r.status.code, STATUS_USAGE);
    expect_text(&r, "sm_80");
    expect_text(&r, "core.dependence=scoreboard");
    rig_close(&r);
    r.status = (struct status){0};
    rig_open(&r, "rtx-5080", "core.dependence=scoreboard", 1, false);
    check(&r, rig_replay(&r));
    assert_true(r.result.complete);
    rig_end(&r);
}

/* The cycles for which two warps wait for stall counts: the code's are all 15. */
static uint64_t waits_of(bool control_bits, const char *set)
{
    struct rig r;
    rig_begin(&r, 2, 32);
    trace_writer_destroy(r.writer);
    r.launch.control_bits = control_bits;
    for (uint32_t i = 0; i < COUNT; i++) {
        r.launch.code[i].isa.control.stall = 15;
        isa_control_encode(r.launch.code[i].isa.control, &r.launch.code[i].isa.word);
    }
    r.writer = trace_writer_create(r.path, &(struct trace_origin){0}, &r.status);
    check(&r, r.writer && trace_writer_begin(r.writer, &r.launch, &r.status));
    for (uint32_t c = 0; c < 2; c++)
        write_warp(&r, c, 0, LINES, LINES + FAR);
    finish(&r, true);
    rig_open(&r, "a100", set, 1, false);
    check(&r, rig_replay(&r));
    rig_end(&r);
    return r.result.sm.stall[STALL_WAIT];
}

/* Whatever stands where the bits would be, and whatever the configuration says. */
static void code_without_control_bits_gets_a_scoreboard_by_itself(void **state)
{
    (void)state;
    uint64_t scoreboard = waits_of(true, "core.dependence=scoreboard");
    assert_int_equal(waits_of(false, NULL), scoreboard);
    assert_int_equal(waits_of(false, "core.dependence=automatic"), scoreboard);
    assert_true(waits_of(true, NULL) > scoreboard);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void of_a_kernel_that_was_cut_the_ctas_run_that_are_there(void **state)
{
    (void)state;
    struct rig r;
    rig_begin(&r, 50, 64);
    for (uint32_t c = 10; c < 50; c += 20)
        for (uint32_t w = 0; w < 2; w++)
            write_warp(&r, c, w, LINES, LINES + FAR);
    finish(&r, false);
    rig_open(&r, "a100", NULL, 1, false);
    check(&r, rig_replay(&r));
    assert_true(r.result.complete);
    assert_int_equal(r.result.ctas, 2);
    assert_int_equal(r.result.ctas_done, 2);
    assert_int_equal(r.result.grid[0], 50);
    assert_int_equal(r.result.warp_instructions, 4 * COUNT);
    rig_end(&r);
}

static void a_limit_ends_a_replay_and_the_trace_tells_what_is_left(void **state)
{
    (void)state;
    enum { CTAS = 2000, ALL = CTAS * 3 * COUNT, SOME = ALL / 2, FIRST = 100 };
    struct rig r;
    write_grid(&r, CTAS, 96);
    struct plan some = {0}, few = {0};
    assert_true(plan_add_number(&some, "until-insts", "limit", SOME, &r.status));
    assert_true(plan_add_number(&few, "first-ctas", "limit", FIRST, &r.status));
    rig_open_with(&r, "a100", NULL, (struct gpu_options){.threads = 1, .plan = &some});
    check(&r, rig_replay(&r));
    assert_false(r.result.complete);
    assert_int_equal(r.result.stop, STOP_INSTRUCTIONS);
    assert_in_range(r.result.warp_instructions, SOME, SOME + 4 * 108);
    assert_int_equal(r.result.warp_instructions + r.result.rest_instructions, ALL);
    rig_close(&r);
    rig_open_with(&r, "a100", NULL, (struct gpu_options){.threads = 1, .plan = &few});
    check(&r, rig_replay(&r));
    assert_int_equal(r.result.stop, STOP_CTAS);
    assert_int_equal(r.result.warp_instructions, FIRST * 3 * COUNT);
    assert_int_equal(r.result.rest_instructions, (CTAS - FIRST) * 3 * COUNT);
    check(&r, rig_replay(&r)); /* the machine is good for another */
    assert_int_equal(r.result.ctas_done, FIRST);
    rig_end(&r);
    plan_free(&some);
    plan_free(&few);
}

static void a_warp_that_is_missing_is_named_and_can_be_passed_over(void **state)
{
    (void)state;
    struct rig r;
    struct status first;
    rig_begin(&r, 3, 64);
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t w = 0; w < 2; w++)
            if (c != 1 || w != 1)
                write_warp(&r, c, w, LINES, LINES + FAR);
    finish(&r, false);
    rig_open(&r, "a100", NULL, 1, false);
    assert_false(rig_replay(&r));
    assert_false(r.result.complete);
    expect_text(&r, "written");
    expect_text(&r, "CTA 1");
    expect_text(&r, "warp 1");
    rig_close(&r);
    r.status = (struct status){0};
    rig_open(&r, "a100", NULL, 1, true);
    check(&r, rig_replay(&r));
    assert_int_equal(gpu_replay_damage(r.gpu, &first), 1);
    assert_non_null(strstr(first.text, "CTA 1"));
    assert_int_equal(r.result.ctas_done, 3);
    assert_int_equal(r.result.thread_instructions, 5 * COUNT * 32);
    rig_end(&r);
}

static void a_grid_that_the_gpu_cannot_have_is_refused(void **state)
{
    (void)state;
    struct rig r;
    rig_begin(&r, 1, 32);
    r.launch.registers = 255;
    trace_writer_destroy(r.writer);
    r.launch.block[0] = 1024;
    r.writer = trace_writer_create(r.path, &(struct trace_origin){0}, &r.status);
    check(&r, r.writer && trace_writer_begin(r.writer, &r.launch, &r.status));
    for (uint32_t w = 0; w < 32; w++)
        write_warp(&r, 0, w, LINES, LINES + FAR);
    finish(&r, true);
    rig_open(&r, "a100", NULL, 1, false);
    assert_false(rig_replay(&r));
    expect_text(&r, "255 registers");
    rig_end(&r);
}

UNIT_TESTS(UNIT(local_memory_is_where_the_warp_slot_has_it),
           UNIT(a_load_behind_a_reduction_of_its_bytes_goes_to_the_slice), UNIT(the_result_does_not_depend_on_threads),
           UNIT(control_bits_are_for_their_architecture_and_a_scoreboard_for_any),
           UNIT(code_without_control_bits_gets_a_scoreboard_by_itself),
           UNIT(of_a_kernel_that_was_cut_the_ctas_run_that_are_there),
           UNIT(a_limit_ends_a_replay_and_the_trace_tells_what_is_left),
           UNIT(a_warp_that_is_missing_is_named_and_can_be_passed_over),
           UNIT(a_grid_that_the_gpu_cannot_have_is_refused))
