#include "tests/replay/loops.h"

#include <unistd.h>

#include "isa/assemble.h"
#include "tests/unit.h"
#include "trace/writer.h"

enum { LOAD, TURN, LAST, COUNT };

#define LINES UINT64_C(0x710000000000)

static const char *const text[COUNT] = {"LDG.E R2, [R4.64]", "BRA 0x0", "EXIT"};

void loops_check(const struct loops *r, bool ok)
{
    if (!ok)
        fail_msg("%s", r->status.text);
}

static void write_code(struct trace_launch *l)
{
    struct status status = {0};
    struct isa_assembler *assembler = isa_assembler_create(l->architecture, &status);
    struct isa_asm_error error;
    for (uint32_t i = 0; i < COUNT; i++) {
        struct isa_control control = {.stall = 5,
                                      .write_sb = (uint8_t)(i == LOAD ? 0 : ISA_NO_SB),
                                      .read_sb = ISA_NO_SB,
                                      .wait = (uint8_t)(i == LOAD ? 0 : 1)};
        struct word128 word;
        if (!isa_assemble(assembler, text[i], strlen(text[i]), i * 16, NULL, NULL, &word, &error))
            fail_msg("%s: %s", text[i], error.message);
        isa_control_encode(control, &word);
        assert_true(isa_decode(isa_assembler_decoder(assembler), word, i * 16, &l->code[i].isa));
    }
    isa_assembler_destroy(assembler);
}

/* A load that is not wanted has no lanes. */
static void write_turn(struct trace_stream *s, const struct loop *k, uint64_t line)
{
    struct issued load = {.path = UINT32_MAX, .active = k->loads ? UINT32_MAX : 0, .flow = ISSUED_NEXT};
    if (k->loads) {
        load.space = ISA_SPACE_GLOBAL;
        load.bytes = 4;
        for (unsigned lane = 0; lane < 32; lane++)
            load.address[lane] = line + lane * 4;
    }
    trace_stream_add(s, &load);
}

static void write_warp(struct trace_writer *w, const struct loop *k, uint32_t cta, uint32_t warp)
{
    struct trace_stream *s = trace_writer_stream(w, cta, warp);
    uint32_t turns = k->turns - (cta == k->first ? k->fewer : 0);
    for (uint32_t i = 0; i < turns; i++) {
        struct issued turn = {.pc = TURN * 16, .path = UINT32_MAX, .active = UINT32_MAX, .flow = ISSUED_JUMP};
        write_turn(s, k, LINES + ((uint64_t)cta * 977 + i * 131 + warp * 17) * 128);
        if (i + 1 == turns)
            turn.flow = ISSUED_NEXT;
        trace_stream_add(s, &turn);
    }
    struct issued last = {.pc = LAST * 16, .path = UINT32_MAX, .active = UINT32_MAX, .flow = ISSUED_EXITED};
    trace_stream_add(s, &last);
    trace_stream_end(s);
}

static void write_kernel(struct loops *r, struct trace_writer *w, const struct loop *k)
{
    struct trace_inst code[COUNT] = {0};
    uint32_t threads = k->threads ? k->threads : 32;
    struct trace_launch l = {.name = (char[]){"turns"},
                             .architecture = 80,
                             .grid = {k->ctas, 1, 1},
                             .block = {threads, 1, 1},
                             .registers = k->registers ? k->registers : 16,
                             .dynamic_shared = k->shared,
                             .code_address = UINT64_C(0x600000000000) + (k->same_code ? 0 : k->stream * 0x4000000ull),
                             .control_bits = true,
                             .stream = k->stream,
                             .code = code,
                             .code_count = COUNT};
    write_code(&l);
    loops_check(r, trace_writer_begin(w, &l, &r->status));
    for (uint32_t cta = 0; cta < k->ctas; cta++)
        for (uint32_t warp = 0; warp < threads / 32; warp++)
            write_warp(w, k, cta, warp);
    loops_check(r, trace_writer_end(w, true, &r->status));
}

void loops_begin(struct loops *r, const struct loop *kernels, uint32_t count)
{
    *r = (struct loops){.count = count};
    temporary_file(r->path);
    struct trace_writer *w = trace_writer_create(r->path, &(struct trace_origin){0}, &r->status);
    loops_check(r, w);
    for (uint32_t i = 0; i < count; i++)
        write_kernel(r, w, &kernels[i]);
    loops_check(r, trace_writer_finish(w, &r->status));
    trace_writer_destroy(w);
    r->file = trace_open(r->path, &r->status);
    loops_check(r, r->file);
    for (uint32_t i = 0; i < count; i++) {
        r->kernel[i] = trace_kernel_open(r->file, i, &r->status);
        loops_check(r, r->kernel[i]);
    }
}

void loops_end(struct loops *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        trace_kernel_close(r->kernel[i]);
    trace_close(r->file);
    unlink(r->path);
}

static bool next(void *self, struct gpu_command *out, struct status *status)
{
    struct loops *r = self;
    (void)status;
    if (r->barrier_before && r->given == r->barrier_before) {
        *out = (struct gpu_command){.kind = GPU_COMMAND_COPY, .stream = r->copy_stream};
        r->barrier_before = 0;
    } else if (r->given < r->count) {
        *out = (struct gpu_command){.kind = GPU_COMMAND_KERNEL, .kernel = r->kernel[r->given++]};
    }
    return true;
}

static bool ended(void *self, const struct trace_kernel *kernel, const struct kernel_result *result,
                  struct status *status)
{
    struct loops *r = self;
    uint32_t i = 0;
    while (r->kernel[i] != kernel)
        i++;
    assert_false(r->has_ended[i]);
    r->has_ended[i] = true;
    r->ended++;
    r->never_began[i] = !result;
    if (result)
        r->result[i] = *result;
    bool ok = status->code == STATUS_OK;
    if (!ok && r->passes)
        *status = (struct status){0};
    return ok || r->passes;
}

static bool idle(void *self, uint64_t cycles, struct status *status)
{
    struct loops *r = self;
    (void)status;
    r->runs++;
    r->cycles = cycles;
    return true;
}

bool loops_run(struct loops *r, const char *set, struct gpu_options options)
{
    struct config config;
    loops_check(r, config_load(&config, "a100", &r->status) && config_set(&config, "icache.perfect=true", &r->status) &&
                       (!set || config_set(&config, set, &r->status)));
    options.threads = options.threads ? options.threads : 1;
    r->gpu = gpu_create(&config, &options, &r->status);
    loops_check(r, r->gpu);
    r->given = r->ended = r->runs = 0;
    memset(r->has_ended, 0, sizeof r->has_ended);
    bool ok = gpu_replay_all(r->gpu, &(struct gpu_sequence){r, next, ended, idle}, &r->status);
    assert_int_equal(r->ended, r->given);
    gpu_destroy(r->gpu);
    return ok;
}
