/* A trace's launches and copies, which of them it has, and the record of launches that fail. */
#include "rig.h"

#include <unistd.h>

static const char path[] = "record-launches.trace";

struct arguments {
    uint64_t out;
    uint32_t number, unused;
};

static bool start(struct rig *r, const char *kernel, uint32_t ctas, uint32_t threads, uint64_t out, uint32_t number,
                  const struct gpu_launch *more)
{
    const struct arguments arguments = {out, number, 0};
    struct gpu_launch l = *more;
    l.kernel = kernel;
    l.grid = (struct exec_dim){ctas, 1, 1};
    l.block = (struct exec_dim){threads, 1, 1};
    l.parameters = &arguments;
    l.parameter_bytes = 12;
    return rig_launch(r, &l);
}

static const struct gpu_launch plain = {0};

static void begin(struct rig *r, const char *gpu, const char *place)
{
    rig_begin(r, gpu, path, true);
    rig_load_file(r, place);
}

static struct trace_file *end(struct rig *r)
{
    struct status status = {0};
    rig_end(r);
    struct trace_file *file = trace_open(path, &status);
    if (!file)
        fail_msg("%s", status.text);
    unlink(path);
    return file;
}

static void a_launch_is_described_as_it_was_made(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        unsigned sm;
    } gpus[] = {{"a100", 80}, {"h200", 90}};
    for (unsigned i = 0; i < 2; i++) {
        struct rig *r = malloc(sizeof *r);
        struct status status = {0};
        char place[96];
        snprintf(place, sizeof place, "tests/gpu/cubin/launches.sm_%u.cubin", gpus[i].sm);
        begin(r, gpus[i].gpu, place);
        const struct gpu_launch more = {
            .dynamic_shared_bytes = 1000, .shared_preferred = 50000, .stream = 7, .stack_limit = 2048};
        assert_true(start(r, "store_at", 1, 32, r->out, 0, &plain));
        assert_true(start(r, "recursion", 3, 70, r->out, 2, &more));
        const struct exec_kernel *kernel = exec_module_kernel(r->module, "recursion", &status);
        uint32_t count = kernel->count, registers = kernel->cubin->registers, fixed = kernel->local_bytes;
        struct word128 *words = malloc(count * sizeof *words);
        for (uint32_t k = 0; k < count; k++)
            words[k] = kernel->code[k].isa.word;
        uint32_t parameters = kernel->cubin->parameter_base + kernel->cubin->parameter_bytes;
        struct trace_file *file = end(r);
        struct trace_kernel *second = trace_kernel_open(file, 1, &status);
        const struct trace_launch *l = trace_kernel_launch(second);
        assert_string_equal(trace_origin_gpu(file), gpus[i].gpu);
        assert_string_equal(l->name, "recursion");
        assert_int_equal(l->architecture, gpus[i].sm);
        assert_int_equal(trace_launch_ctas(l), 3);
        assert_int_equal(trace_launch_warps(l), 3);
        assert_int_equal(l->block[0], 70);
        assert_int_equal(l->registers, registers);
        assert_int_equal(l->static_shared, 0); /* of sm_90 too, whose kernels have the system's 1024 bytes */
        assert_int_equal(l->dynamic_shared, 1000);
        assert_int_equal(l->shared_preferred, 50000);
        assert_int_equal(l->local_bytes, fixed + 2048);
        assert_int_not_equal(l->local_base, 0);
        assert_int_equal(l->bank_bytes[0], parameters);
        assert_true(l->control_bits);
        assert_false(l->cooperative);
        assert_int_equal(l->stream, 7);
        assert_int_equal(l->number, 1);
        assert_int_equal(l->code_count, count);
        for (uint32_t k = 0; k < count; k++) {
            assert_memory_equal(&l->code[k].isa.word, &words[k], sizeof words[k]);
            assert_int_equal(l->code[k].isa.pc, 16 * k);
        }
        trace_kernel_close(second);
        trace_close(file);
        free(words);
        free(r);
    }
}

static void copies_and_launches_keep_their_order(void **state)
{
    (void)state;
    struct rig *r = malloc(sizeof *r);
    begin(r, "a100", "tests/gpu/cubin/launches.sm_80.cubin");
    assert_true(gpu_trace_copy(r->gpu, r->out, 100, 3, &r->status));
    assert_true(start(r, "store_at", 1, 32, r->out, 0, &plain));
    assert_true(gpu_trace_copy(r->gpu, r->out + 4, 200, 4, &r->status));
    assert_true(gpu_trace_copy(r->gpu, r->out + 8, 300, 5, &r->status));
    assert_true(start(r, "store_at", 2, 32, r->out, 0, &plain));
    uint64_t out = r->out;
    struct trace_file *file = end(r);
    assert_int_equal(trace_commands(file), 5);
    assert_int_equal(trace_kernels(file), 2);
    static const enum trace_command_kind kinds[] = {TRACE_COPY, TRACE_LAUNCH, TRACE_COPY, TRACE_COPY, TRACE_LAUNCH};
    unsigned copies = 0, launches = 0;
    for (uint32_t i = 0; i < 5; i++) {
        const struct trace_command *c = trace_command(file, i);
        assert_int_equal(c->kind, kinds[i]);
        if (c->kind == TRACE_LAUNCH) {
            assert_int_equal(c->kernel, launches++);
            continue;
        }
        assert_int_equal(c->copy.address, out + 4 * copies);
        assert_int_equal(c->copy.bytes, 100 * (copies + 1));
        assert_int_equal(c->copy.stream, 3 + copies++);
    }
    trace_close(file);
    free(r);
}

static void launches_that_are_timed_or_left_out_are_counted_and_not_recorded(void **state)
{
    (void)state;
    struct rig *r = malloc(sizeof *r);
    struct status status = {0};
    begin(r, "a100", "tests/gpu/cubin/launches.sm_80.cubin");
    const struct gpu_launch timed = {.mode = GPU_MODE_DETAILED}, left_out = {.unrecorded = true};
    assert_true(start(r, "store_at", 1, 32, r->out, 0, &timed));
    assert_true(start(r, "store_at", 1, 32, r->out, 0, &left_out));
    assert_true(start(r, "store_at", 1, 32, r->out, 0, &plain));
    gpu_set_trace(r->gpu, NULL);
    assert_true(start(r, "store_at", 1, 32, r->out, 0, &plain));
    struct trace_file *file = end(r);
    assert_int_equal(trace_kernels(file), 1);
    struct trace_kernel *kernel = trace_kernel_open(file, 0, &status);
    assert_int_equal(trace_kernel_launch(kernel)->number, 2);
    trace_kernel_close(kernel);
    trace_close(file);
    free(r);
}

/* The fault is in the second warp. The instructions before are there. */
static void a_launch_that_fails_is_incomplete_and_the_others_are_whole(void **state)
{
    (void)state;
    struct rig *r = malloc(sizeof *r);
    struct status status = {0};
    begin(r, "a100", "tests/gpu/cubin/launches.sm_80.cubin");
    assert_true(start(r, "store_at", 1, 32, r->out, 0, &plain));
    assert_false(start(r, "trap_at", 4, 64, r->out, 40, &plain));
    assert_int_equal(r->status.code, STATUS_FAULT);
    assert_int_equal(gpu_fault(r->gpu)->kind, EXEC_FAULT_TRAP);
    assert_true(start(r, "store_at", 1, 32, r->out, 0, &plain));
    struct trace_file *file = end(r);
    assert_int_equal(trace_kernels(file), 3);
    for (uint32_t i = 0; i < 3; i++) {
        struct trace_summary summary;
        trace_summary(file, i, &summary);
        assert_int_equal(summary.complete, i != 1);
        assert_in_range(summary.instructions, 3, 200);
        struct trace_kernel *kernel = trace_kernel_open(file, i, &status);
        struct trace_cursor *cursor = trace_cursor_create(kernel);
        struct issued issued;
        assert_true(trace_cursor_seek(cursor, 0, 0, &status) && trace_cursor_next(cursor, &issued, &status));
        assert_int_equal(issued.pc, 0);
        trace_cursor_destroy(cursor);
        trace_kernel_close(kernel);
    }
    trace_close(file);
    free(r);
}

/* Its only warp has no end. */
static void a_fault_in_the_last_warp_is_no_end(void **state)
{
    (void)state;
    struct rig *r = malloc(sizeof *r);
    struct status status = {0};
    begin(r, "a100", "tests/gpu/cubin/launches.sm_80.cubin");
    assert_false(start(r, "trap_at", 1, 32, r->out, 9, &plain));
    struct trace_file *file = end(r);
    struct trace_summary summary;
    trace_summary(file, 0, &summary);
    assert_false(summary.complete);
    struct trace_kernel *kernel = trace_kernel_open(file, 0, &status);
    struct trace_cursor *cursor = trace_cursor_create(kernel);
    struct issued issued;
    uint64_t count = 0;
    assert_true(trace_cursor_seek(cursor, 0, 0, &status));
    while (trace_cursor_next(cursor, &issued, &status))
        count++;
    assert_int_equal(count, summary.instructions);
    assert_in_range(count, 3, 100);
    trace_cursor_destroy(cursor);
    trace_kernel_close(kernel);
    trace_close(file);
    free(r);
}

static void a_launch_that_cannot_begin_leaves_nothing_in_the_trace(void **state)
{
    (void)state;
    struct rig *r = malloc(sizeof *r);
    begin(r, "a100", "tests/gpu/cubin/launches.sm_80.cubin");
    assert_false(start(r, "store_at", 1, 2000, r->out, 0, &plain));
    assert_false(start(r, "no_such_kernel", 1, 32, r->out, 0, &plain));
    assert_true(start(r, "store_at", 1, 32, r->out, 0, &plain));
    struct trace_file *file = end(r);
    assert_int_equal(trace_kernels(file), 1);
    trace_close(file);
    free(r);
}

UNIT_TESTS(UNIT(a_launch_is_described_as_it_was_made), UNIT(copies_and_launches_keep_their_order),
           UNIT(launches_that_are_timed_or_left_out_are_counted_and_not_recorded),
           UNIT(a_launch_that_fails_is_incomplete_and_the_others_are_whole), UNIT(a_fault_in_the_last_warp_is_no_end),
           UNIT(a_launch_that_cannot_begin_leaves_nothing_in_the_trace))
