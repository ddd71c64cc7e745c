/* Every workload of validate/kernels, without time: its result is right, its sizes are sizes, and its check sees
 * what is wrong. */
#include "cli/demo.h"
#include "tests/unit.h"

enum { SMS = 108, SM = 80, LEAST_SMS = 40 /* of the GPUs of configs/ */ };

static const struct workload_scale small = {SIZE_SMALL, SMS};

/* A device that has another behind it, and flips a bit in the words of one of its reads. */
struct flipping {
    struct example_device behind;
    unsigned reads, flipped; /* the flipped one, from 0 */
};

static uint64_t flipping_alloc(void *self, size_t bytes)
{
    const struct flipping *f = self;
    return f->behind.alloc(f->behind.self, bytes);
}

static bool flipping_write(void *self, uint64_t to, const void *from, size_t bytes)
{
    const struct flipping *f = self;
    return f->behind.write(f->behind.self, to, from, bytes);
}

/* The first word belongs to a result, whatever guards lie behind it. */
static bool flipping_read(void *self, void *to, uint64_t from, size_t bytes)
{
    struct flipping *f = self;
    if (f->reads++ == f->flipped) {
        uint32_t word;
        if (bytes < sizeof word || !f->behind.read(f->behind.self, &word, from, sizeof word))
            return false;
        word ^= 0x40004000u; /* the high bit of an FP32 exponent, or of two of FP16 */
        if (!f->behind.write(f->behind.self, from, &word, sizeof word))
            return false;
    }
    return f->behind.read(f->behind.self, to, from, bytes);
}

static bool flipping_launch(void *self, const char *kernel, struct example_dim grid, struct example_dim block,
                            uint32_t dynamic_shared_bytes, const void *params, size_t param_bytes)
{
    const struct flipping *f = self;
    return f->behind.launch(f->behind.self, kernel, grid, block, dynamic_shared_bytes, params, param_bytes);
}

/* A workload behind such a device: what demo_run_workload runs instead of it. It finds itself by its scale. */
struct broken {
    struct workload_scale scale;
    const struct workload *of;
    struct flipping *flipping;
};

static struct example_result run_broken(const struct example_device *device, const struct workload_scale *scale)
{
    const struct broken *b = (const struct broken *)scale;
    b->flipping->behind = *device;
    const struct example_device between = {b->flipping, flipping_alloc, flipping_write, flipping_read, flipping_launch};
    return b->of->run(&between, scale);
}

static struct demo_run run_flipped(const struct workload *workload, struct flipping *flipping, struct session *session)
{
    const struct broken broken = {small, workload, flipping};
    struct workload instead = *workload;
    instead.run = run_broken;
    struct demo_run run;
    struct status status = {0};
    demo_run_workload(&run, &instead, &broken.scale, session, &status);
    if (run.status.code != STATUS_OK)
        print_error("%s: %s\n", workload->name, run.status.text);
    return run;
}

static void begin(struct session *session)
{
    struct status status = {0};
    const struct cli_options options = {.gpu = "a100", .functional = true, .quiet = true};
    assert_true(session_begin(session, &options, &status));
}

static void every_workload_gives_the_right_result_and_sees_each_wrong_one(void **state)
{
    (void)state;
    struct session session;
    struct status status = {0};
    begin(&session);
    size_t count;
    const struct workload *const *all = workload_list(&count);
    unsigned failed = 0;
    for (size_t i = 0; i < count; i++) {
        if (all[i]->arch > SM)
            continue;
        struct flipping whole = {.flipped = UINT32_MAX};
        struct demo_run run = run_flipped(all[i], &whole, &session);
        if (!run.check.ok || run.count == 0 || run.count > WORKLOAD_LAUNCHES || whole.reads == 0) {
            print_error("%s: %zu launches, %u reads: %s\n", all[i]->name, run.count, whole.reads, run.check.text);
            failed++;
        }
        demo_run_free(&run);
        assert_true(session_renew(&session, &status));
        for (unsigned read = 0; read < whole.reads; read++) {
            struct flipping flipping = {.flipped = read};
            run = run_flipped(all[i], &flipping, &session);
            if (run.check.ok || run.status.code != STATUS_OK) {
                print_error("%s: a flipped word of read %u passes: %s\n", all[i]->name, read, run.check.text);
                failed++;
            }
            demo_run_free(&run);
            assert_true(session_renew(&session, &status));
        }
    }
    session_end(&session);
    assert_int_equal(failed, 0);
    assert_true(count > 0);
}

/* A device that executes nothing and keeps the grid of the first launch. */
static uint64_t grid_alloc(void *self, size_t bytes)
{
    (void)self;
    (void)bytes;
    return 256;
}

static bool grid_write(void *self, uint64_t to, const void *from, size_t bytes)
{
    (void)self;
    (void)to;
    (void)from;
    (void)bytes;
    return true;
}

static bool grid_read(void *self, void *to, uint64_t from, size_t bytes)
{
    (void)self;
    (void)to;
    (void)from;
    (void)bytes;
    return false;
}

static bool grid_launch(void *self, const char *kernel, struct example_dim grid, struct example_dim block,
                        uint32_t dynamic_shared_bytes, const void *params, size_t param_bytes)
{
    (void)kernel;
    (void)block;
    (void)dynamic_shared_bytes;
    (void)params;
    (void)param_bytes;
    *(uint64_t *)self = (uint64_t)grid.x * grid.y * grid.z;
    return false;
}

static uint64_t first_grid(const struct workload *workload, enum workload_size size, uint32_t sms)
{
    uint64_t ctas = 0;
    const struct example_device device = {&ctas, grid_alloc, grid_write, grid_read, grid_launch};
    const struct workload_scale scale = {size, sms};
    workload->run(&device, &scale);
    return ctas;
}

static void the_grid_of_every_workload_grows_with_its_size(void **state)
{
    (void)state;
    size_t count;
    const struct workload *const *all = workload_list(&count);
    unsigned failed = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t few = first_grid(all[i], SIZE_SMALL, LEAST_SMS);
        const uint64_t medium = first_grid(all[i], SIZE_MEDIUM, LEAST_SMS);
        const uint64_t full = first_grid(all[i], SIZE_FULL, LEAST_SMS);
        if (few == 0 || few >= LEAST_SMS || few >= medium || medium >= full ||
            full >= first_grid(all[i], SIZE_FULL, 2 * LEAST_SMS)) {
            print_error("%s: %ju, %ju and %ju CTAs\n", all[i]->name, (uintmax_t)few, (uintmax_t)medium,
                        (uintmax_t)full);
            failed++;
        }
    }
    assert_int_equal(failed, 0);
}

UNIT_TESTS(UNIT(every_workload_gives_the_right_result_and_sees_each_wrong_one),
           UNIT(the_grid_of_every_workload_grows_with_its_size))
