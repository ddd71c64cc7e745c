/* The kernels of tensor_memory.cu, executed only and timed. */
#include "base/file.h"
#include "gpu/gpu.h"
#include "hazard/hazard.h"
#include "tests/unit.h"

enum { WORDS = 8192, CTAS = 12, ROUNDS = 40 };

struct run {
    const char *kernel;
    uint32_t threads, ctas;
    uint32_t rounds; /* of `pairs` */
    bool functional, checks;
    unsigned host_threads; /* 0: 1 */
    const char *set;       /* a key (NULL: none) */
    /* The right results. */
    bool ok;
    struct status status;
    struct kernel_result result;
    uint32_t hazards;
    struct hazard hazard;
    uint32_t out[WORDS];
};

static void run(struct run *r)
{
    char path[4096];
    struct file_bytes file;
    struct status status = {0};
    struct config config;
    struct hazards hazards;
    hazards_init(&hazards);
    const struct gpu_options options = {.threads = r->host_threads ? r->host_threads : 1,
                                        .functional = r->functional,
                                        .hazards = r->checks ? &hazards : NULL};
    assert_true(config_load(&config, "b200", &status) && config_set(&config, "gpu.memory=1", &status));
    assert_true(!r->set || config_set(&config, r->set, &status));
    struct gpu *gpu = gpu_create(&config, &options, &status);
    assert_non_null(gpu);
    assert_true(file_read(unit_path(path, "tests/gpu/cubin/tensor_memory.sm_100a.cubin"), 1 << 20, &file, &status));
    struct exec_module *module = gpu_load(gpu, (struct cubin_bytes){file.data, file.size}, "tensor_memory", &status);
    assert_non_null(module);
    struct {
        uint64_t out;
        uint32_t rounds;
    } parameters = {memory_alloc(gpu_memory(gpu), sizeof r->out), r->rounds};
    const struct gpu_launch launch = {.module = module,
                                      .kernel = r->kernel,
                                      .grid = {r->ctas ? r->ctas : 1, 1, 1},
                                      .block = {r->threads, 1, 1},
                                      .parameters = &parameters,
                                      .parameter_bytes = r->rounds ? 12 : 8,
                                      .mode = GPU_MODE_OF_OPTIONS};
    r->ok = gpu_launch(gpu, &launch, &r->result, &r->status);
    if (r->checks && hazards.kernels) {
        r->hazards = hazards.kernel[0].found.count;
        if (r->hazards)
            r->hazard = hazards.kernel[0].found.item[0];
    }
    memcpy(r->out, memory_at(gpu_memory(gpu), parameters.out), sizeof r->out);
    hazards_free(&hazards);
    gpu_destroy(gpu);
    file_free(&file);
}

static void assert_ok(const struct run *r)
{
    if (!r->ok)
        fail_msg("%s: %s", r->kernel, r->status.text);
    assert_int_equal(r->hazards, 0);
}

static uint32_t cell(unsigned lane, unsigned column) { return lane << 16 | column; }

/* The word that thread t of a warp has in register p, by the order of the kernel's loads. */
static uint32_t loaded(unsigned load, unsigned quarter, unsigned t, unsigned p)
{
    unsigned lane = 32 * quarter;
    switch (load) {
    case 0: return cell(lane + t, p);
    case 1: return cell(lane + t / 4 + t % 2 * 8, 2 * p + t / 2 % 2);
    case 2: return cell(lane + t / 4 + p % 2 * 8, p / 2 * 4 + t % 4);
    case 3: return cell(lane + 16 + t / 4 + p / 2 % 2 * 8, p / 4 * 8 + t % 4 * 2 + p % 2);
    case 4: return cell(lane + t % 16, t < 16 ? p : 16 + p);
    default: return 2 * p | (2 * p + 1) << 16; /* lower halves */
    }
}

static void every_shape_reads_what_another_has_stored(void **state)
{
    (void)state;
    for (unsigned functional = 0; functional < 2; functional++) {
        struct run r = {.kernel = "shapes", .threads = 128, .functional = functional, .checks = true};
        run(&r);
        assert_ok(&r);
        for (unsigned load = 0; load < 6; load++)
            for (unsigned p = 0; p < 8; p++)
                for (unsigned thread = 0; thread < 128; thread++)
                    assert_int_equal(r.out[(load * 8 + p) * 128 + thread], loaded(load, thread / 32, thread % 32, p));
    }
}

static void allocations_take_the_lowest_free_columns_of_their_size(void **state)
{
    (void)state;
    static const uint32_t expected[8] = {0, 256, 384, 448, 256, 320, 0, 0};
    for (unsigned functional = 0; functional < 2; functional++) {
        struct run r = {.kernel = "addresses", .threads = 32, .functional = functional, .checks = true};
        run(&r);
        assert_ok(&r);
        assert_memory_equal(r.out, expected, sizeof expected);
    }
}

static void ctas_of_an_sm_that_want_all_columns_follow_each_other(void **state)
{
    (void)state;
    for (unsigned functional = 0; functional < 2; functional++) {
        struct run r = {.kernel = "all_columns", .threads = 128, .ctas = CTAS, .functional = functional};
        r.set = "gpu.sms=1";
        run(&r);
        assert_ok(&r);
        assert_int_equal(r.out[0], CTAS * 128);
        for (unsigned i = 0; i < CTAS * 128; i++)
            assert_int_equal(r.out[1 + i], 8 * (i % 128 + i / 128) + 73 * 28);
        if (functional)
            continue;
        assert_int_equal(r.result.sm.ctas, CTAS);
        assert_true(r.result.sm.tensor_denials >= CTAS - 1);
        assert_int_equal(r.result.sm.tensor_allocations - r.result.sm.tensor_denials, 2 * CTAS);
        assert_int_equal(r.result.sm.tensor_loads, CTAS * 4 * 8);
        assert_int_equal(r.result.sm.tensor_bytes_store, CTAS * 4 * 8 * 128);
    }
}

static void pairs_of_ctas_get_the_same_columns_round_after_round(void **state)
{
    (void)state;
    for (unsigned functional = 0; functional < 2; functional++) {
        struct run r = {.kernel = "pairs", .threads = 32, .ctas = 4, .rounds = ROUNDS, .functional = functional};
        run(&r);
        assert_ok(&r);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(r.out[i], 0);
    }
}

static void the_time_of_pairs_does_not_depend_on_host_threads_or_idle_skipping(void **state)
{
    (void)state;
    uint64_t cycles[3];
    for (unsigned k = 0; k < 3; k++) {
        struct run r = {.kernel = "pairs", .threads = 32, .ctas = 16, .rounds = ROUNDS / 4};
        r.host_threads = k == 1 ? 3 : 1;
        r.set = k == 2 ? "run.skip_idle=off" : NULL;
        run(&r);
        assert_ok(&r);
        cycles[k] = r.result.cycles;
    }
    assert_int_equal(cycles[1], cycles[0]);
    assert_int_equal(cycles[2], cycles[0]);
}

/* ---- copies and shifts ------------------------------------------------------------------------------------------- */

static uint8_t image_byte(uint32_t at)
{
    uint32_t i = at / 4, word = (i * 0x01010101u + 0x03020100u) ^ i >> 8;
    return (uint8_t)(word >> at % 4 * 8);
}

/* Byte b of row r in the matrix. */
static uint8_t row_byte(unsigned r, unsigned b)
{
    return image_byte(b / 16 * 4096 + r / 8 * 128 + r % 8 * 16 + b % 16);
}

static uint8_t expanded(unsigned r, unsigned i, unsigned bits)
{
    unsigned value = 0;
    for (unsigned bit = 0; bit < bits; bit++)
        value += ((unsigned)row_byte(r, (bits * i + bit) / 8) >> (bits * i + bit) % 8 & 1u) << bit;
    return (uint8_t)(bits == 4 ? 4 * value : value);
}

/* Byte b of lane `lane`, from column 0 on, after `copies`. */
static uint8_t copied_byte(unsigned lane, unsigned b)
{
    unsigned column = b / 4;
    if (column < 8)
        return row_byte(lane, b);
    if (column < 16 && lane % 32 == 0) /* 4x256b comes last */
        return row_byte(lane / 32, b - 32);
    if (column < 12)
        return row_byte(lane, b - 32);
    if (column < 16)
        return row_byte(lane % 64, b - 48);
    if (column < 20)
        return row_byte(lane / 64 * 32 + lane % 32, b - 64);
    if (column < 24)
        return row_byte(lane % 32, b - 80);
    return column < 28 ? expanded(lane, b - 96, 6) : expanded(lane, b - 112, 4);
}

static void copies_of_every_shape_are_there_behind_their_commit(void **state)
{
    (void)state;
    for (unsigned functional = 0; functional < 2; functional++) {
        struct run r = {.kernel = "copies", .threads = 128, .functional = functional, .checks = true};
        run(&r);
        assert_ok(&r);
        for (unsigned lane = 0; lane < 128; lane++)
            for (unsigned b = 0; b < 128; b++)
                if ((uint8_t)(r.out[b / 4 * 128 + lane] >> b % 4 * 8) != copied_byte(lane, b))
                    fail_msg("lane %u, byte %u: %02x, not %02x", lane, b,
                             (uint8_t)(r.out[b / 4 * 128 + lane] >> b % 4 * 8), copied_byte(lane, b));
    }
}

static void a_shift_behind_a_copy_moves_its_rows(void **state)
{
    (void)state;
    for (unsigned functional = 0; functional < 2; functional++) {
        struct run r = {.kernel = "shifts", .threads = 128, .functional = functional, .checks = true};
        run(&r);
        assert_ok(&r);
        for (unsigned lane = 0; lane < 128; lane++)
            for (unsigned b = 0; b < 32; b++)
                assert_int_equal((uint8_t)(r.out[b / 4 * 128 + lane] >> b % 4 * 8), row_byte(lane ? lane - 1 : 0, b));
    }
}

static void a_load_before_the_commit_of_a_copy_is_found(void **state)
{
    (void)state;
    struct run r = {.kernel = "reads_early", .threads = 128, .checks = true};
    run(&r);
    assert_true(r.ok);
    assert_int_equal(r.hazards, 1);
    assert_int_equal(r.hazard.kind, HAZARD_COMMIT);
}

static void an_allocation_takes_as_long_as_measured(void **state)
{
    (void)state;
    struct run r = {.kernel = "clocks", .threads = 32};
    run(&r);
    assert_ok(&r);
    assert_in_range(r.out[0], 251, 255); /* 253 on a B300 */
}

static void a_leak_and_a_load_without_a_wait_are_found(void **state)
{
    (void)state;
    for (unsigned functional = 0; functional < 2; functional++) {
        struct run leak = {.kernel = "leaks", .threads = 32, .functional = functional, .checks = true};
        run(&leak);
        assert_true(leak.ok);
        assert_int_equal(leak.hazards, 1);
        assert_int_equal(leak.hazard.kind, HAZARD_LEAK);
        assert_int_equal(leak.hazard.offset, 0);
        struct run wait = {.kernel = "never_waits", .threads = 32, .functional = functional, .checks = true};
        run(&wait);
        assert_true(wait.ok);
        assert_int_equal(wait.hazards, 1);
        assert_int_equal(wait.hazard.kind, HAZARD_TENSOR);
        assert_int_equal(wait.hazard.offset, 5);
    }
}

static void expect_fault(const char *kernel, enum status_code code, const char *text)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        struct run r = {.kernel = kernel, .threads = 32, .functional = functional};
        run(&r);
        assert_false(r.ok);
        assert_int_equal(r.status.code, code);
        if (!strstr(r.status.text, text))
            fail_msg("%s: \"%s\" is not in \"%s\"", kernel, text, r.status.text);
    }
}

static void wrong_allocations_and_accesses_end_the_kernel(void **state)
{
    (void)state;
    expect_fault("never_ends", STATUS_DEADLOCK, "asks for 64 columns of tensor memory; its CTA has 512");
    expect_fault("after_relinquish", STATUS_FAULT, "BPT.TRAP");
    expect_fault("frees_others", STATUS_FAULT, "BPT.TRAP");
    expect_fault("outside", STATUS_FAULT,
                 "load at 0x00000040 is in lanes 0-31, columns 64-64 of tensor memory: the CTA has allocated columns "
                 "0-63");
}

UNIT_TESTS(UNIT(every_shape_reads_what_another_has_stored),
           UNIT(allocations_take_the_lowest_free_columns_of_their_size),
           UNIT(ctas_of_an_sm_that_want_all_columns_follow_each_other),
           UNIT(pairs_of_ctas_get_the_same_columns_round_after_round),
           UNIT(the_time_of_pairs_does_not_depend_on_host_threads_or_idle_skipping),
           UNIT(copies_of_every_shape_are_there_behind_their_commit), UNIT(a_shift_behind_a_copy_moves_its_rows),
           UNIT(a_load_before_the_commit_of_a_copy_is_found), UNIT(an_allocation_takes_as_long_as_measured),
           UNIT(a_leak_and_a_load_without_a_wait_are_found), UNIT(wrong_allocations_and_accesses_end_the_kernel))
