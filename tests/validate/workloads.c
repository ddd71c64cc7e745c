/* Every workload of validate/kernels, without time: its result is right, its sizes are sizes, and its check sees
 * mistakes. */
#include "cli/demo.h"
#include "tests/unit.h"

enum { SMS = 108, SM = 80, LEAST_SMS = 40 /* of the GPUs in configs/ */, READS = 16, WORDS = 24 };

static const struct workload_scale small = {SIZE_SMALL, SMS};

/* The reads of a run. */
struct reads {
    uint8_t *data[READS];
    size_t bytes[READS];
    unsigned count;
};

static void reads_free(struct reads *reads)
{
    for (unsigned i = 0; i < reads->count; i++)
        free(reads->data[i]);
    *reads = (struct reads){0};
}

/* The high bit of an FP32 exponent, or two FP16 exponents. */
static void flip(void *word)
{
    uint32_t value;
    memcpy(&value, word, sizeof value);
    value ^= 0x40004000u;
    memcpy(word, &value, sizeof value);
}

/* A device that has another behind it, and flips the first word in one of its reads. */
struct flipping {
    struct example_device behind;
    unsigned flipped; /* the read, from 0 */
    struct reads reads;
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
    const unsigned read = f->reads.count;
    uint32_t word;
    if (read == f->flipped) {
        if (bytes < sizeof word || !f->behind.read(f->behind.self, &word, from, sizeof word))
            return false;
        flip(&word);
        if (!f->behind.write(f->behind.self, from, &word, sizeof word))
            return false;
    }
    if (read == READS || !f->behind.read(f->behind.self, to, from, bytes))
        return false;
    f->reads.data[read] = malloc(bytes);
    f->reads.bytes[read] = bytes;
    f->reads.count++;
    memcpy(f->reads.data[read], to, bytes);
    return true;
}

static bool flipping_launch(void *self, const char *kernel, struct example_dim grid, struct example_dim block,
                            uint32_t dynamic_shared_bytes, const void *params, size_t param_bytes)
{
    const struct flipping *f = self;
    return f->behind.launch(f->behind.self, kernel, grid, block, dynamic_shared_bytes, params, param_bytes);
}

/* A workload behind such a device: demo_run_workload runs it instead. It finds itself by its scale. */
struct broken {
    struct workload_scale scale;
    const struct workload *of;
    struct flipping *flipping;
};

static bool flipping_map(void *self, uint8_t map[EXAMPLE_MAP], const struct example_matrix *matrix)
{
    struct flipping *f = self;
    return f->behind.tensor_map(f->behind.self, map, matrix);
}

static struct example_result run_broken(const struct example_device *device, const struct workload_scale *scale)
{
    const struct broken *b = (const struct broken *)scale;
    b->flipping->behind = *device;
    const struct example_device between = {b->flipping,   flipping_alloc,  flipping_write,
                                           flipping_read, flipping_launch, flipping_map};
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

/* ---- a device that executes nothing ------------------------------------------------------------------------------ */

/* Its reads are those of a run, with one word flipped; or zeros. */
struct idle {
    const struct reads *reads; /* NULL: zeros */
    unsigned flipped;          /* the read, from 0 */
    size_t word;               /* of it */
    unsigned read;             /* the next */
    bool strayed;              /* it was asked for a word that the run did not read: the word chooses the launch */
    uint64_t ctas;             /* of the first launch */
};

static uint64_t idle_alloc(void *self, size_t bytes)
{
    (void)self;
    (void)bytes;
    return 256;
}

static bool idle_write(void *self, uint64_t to, const void *from, size_t bytes)
{
    (void)self;
    (void)to;
    (void)from;
    (void)bytes;
    return true;
}

static bool idle_read(void *self, void *to, uint64_t from, size_t bytes)
{
    struct idle *d = self;
    (void)from;
    if (!d->reads) {
        memset(to, 0, bytes);
        return true;
    }
    if (d->read == d->reads->count || d->reads->bytes[d->read] != bytes) {
        d->strayed = true;
        return false;
    }
    memcpy(to, d->reads->data[d->read], bytes);
    if (d->read == d->flipped)
        flip((uint8_t *)to + 4 * d->word);
    d->read++;
    return true;
}

static bool idle_launch(void *self, const char *kernel, struct example_dim grid, struct example_dim block,
                        uint32_t dynamic_shared_bytes, const void *params, size_t param_bytes)
{
    struct idle *d = self;
    (void)kernel;
    (void)block;
    (void)dynamic_shared_bytes;
    (void)params;
    (void)param_bytes;
    d->ctas = d->ctas ? d->ctas : (uint64_t)grid.x * grid.y * grid.z;
    return true;
}

static struct example_result run_idle(const struct workload *workload, enum workload_size size, uint32_t sms,
                                      struct idle *idle)
{
    const struct example_device device = {idle, idle_alloc, idle_write, idle_read, idle_launch, NULL};
    const struct workload_scale scale = {size, sms};
    return workload->run(&device, &scale);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* The part of a read beside results: room behind the vertices of a level, the upper halves of matrices whose factors
 * are lower ones, and transforms between those of which a sample is made. */
static bool is_beside(const struct workload *workload, const struct reads *reads, unsigned read, size_t word)
{
    enum { LEVEL = 4, FACTOR = 48, POINTS = 256, SAMPLES = 16, GUARDS = 64 };
    const size_t words = reads->bytes[read] / 4;
    if (strcmp(workload->name, "bfs") == 0 && read == LEVEL) {
        uint32_t found;
        memcpy(&found, reads->data[LEVEL - 2], sizeof found);
        return word >= found && word < words - GUARDS;
    }
    if (strcmp(workload->name, "cholesky") == 0)
        return word % FACTOR > word / FACTOR % FACTOR;
    if (strcmp(workload->name, "fft") == 0) {
        const size_t last = words / (2 * POINTS) - 1, at = word / (2 * POINTS);
        for (size_t i = 0; i < SAMPLES; i++)
            if (i * last / (SAMPLES - 1) == at)
                return false;
        return true;
    }
    return false;
}

/* Words of each read, the first and the last among them: a wrong result is seen, and nothing else is looked at. */
static unsigned flip_words(const struct workload *workload, const struct reads *reads)
{
    unsigned failed = 0;
    for (unsigned read = 0; read < reads->count; read++) {
        const size_t words = reads->bytes[read] / 4, tried = words < WORDS ? words : WORDS;
        for (size_t i = 0; i < tried; i++) {
            struct idle idle = {.reads = reads, .flipped = read, .word = tried < 2 ? 0 : i * (words - 1) / (tried - 1)};
            const struct example_result result = run_idle(workload, SIZE_SMALL, SMS, &idle);
            if (result.ok == is_beside(workload, reads, read, idle.word) && !idle.strayed)
                continue;
            print_error("%s: word %zu of %zu of read %u: %s\n", workload->name, idle.word, words, read, result.text);
            failed++;
        }
    }
    return failed;
}

static void check_on(const char *gpu, unsigned sm, bool functional)
{
    struct session session;
    struct status status = {0};
    const struct cli_options options = {.gpu = gpu, .functional = functional, .quiet = true};
    size_t count;
    unsigned failed = 0;
    const struct workload *const *all = workload_list(&count);
    assert_true(session_begin(&session, &options, &status));
    for (size_t i = 0; i < count; i++) {
        struct demo_run run;
        if (!workload_fits(all[i], sm))
            continue;
        demo_run_workload(&run, all[i], &small, &session, &status);
        if (run.status.code != STATUS_OK || !run.check.ok) {
            print_error("%s on %s: %s %s\n", all[i]->name, gpu, run.status.text, run.check.text);
            failed++;
        }
        demo_run_free(&run);
        assert_true(session_renew(&session, &status));
    }
    session_end(&session);
    assert_int_equal(failed, 0);
}

static void workloads_give_right_results_on_pascal(void **state)
{
    (void)state;
    check_on("p100", 60, true);
    if (unit_full()) {
        check_on("p100", 60, false);
        check_on("gtx-1080-ti", 61, false);
    }
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
        if (!workload_fits(all[i], SM))
            continue;
        struct flipping whole = {.flipped = UINT32_MAX};
        struct demo_run run = run_flipped(all[i], &whole, &session);
        if (!run.check.ok || run.count == 0 || run.count > WORKLOAD_LAUNCHES || whole.reads.count == 0) {
            print_error("%s: %zu launches, %u reads: %s\n", all[i]->name, run.count, whole.reads.count, run.check.text);
            failed++;
        }
        failed += flip_words(all[i], &whole.reads);
        demo_run_free(&run);
        assert_true(session_renew(&session, &status));
        for (unsigned read = 0; read < whole.reads.count; read++) {
            struct flipping flipping = {.flipped = read};
            run = run_flipped(all[i], &flipping, &session);
            if (run.check.ok || run.status.code != STATUS_OK) {
                print_error("%s: a flipped word of read %u passes: %s\n", all[i]->name, read, run.check.text);
                failed++;
            }
            demo_run_free(&run);
            reads_free(&flipping.reads);
            assert_true(session_renew(&session, &status));
        }
        reads_free(&whole.reads);
    }
    session_end(&session);
    assert_int_equal(failed, 0);
    assert_true(count > 0);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static uint64_t ctas_of(const struct kernel_result *launch)
{
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

/* The launches of the three sizes are the same. The first one's grid grows, and no other one's shrinks. */
static bool grows(const struct demo_run run[WORKLOAD_SIZES])
{
    const struct demo_run *few = &run[SIZE_SMALL], *medium = &run[SIZE_MEDIUM], *full = &run[SIZE_FULL];
    if (few->count != medium->count || few->count != full->count)
        return false;
    for (size_t i = 0; i < few->count; i++) {
        const uint64_t least = ctas_of(&few->results[i]), middle = ctas_of(&medium->results[i]);
        const uint64_t most = ctas_of(&full->results[i]);
        if (strcmp(few->results[i].kernel, medium->results[i].kernel) != 0 ||
            strcmp(few->results[i].kernel, full->results[i].kernel) != 0 || least > middle || middle > most)
            return false;
        if (i == 0 && (least >= LEAST_SMS || least == middle || middle == most))
            return false;
    }
    return true;
}

static void print_grids(const struct workload *workload, const struct demo_run *run)
{
    print_error("%s:", workload->name);
    for (size_t i = 0; i < run->count; i++)
        print_error(" %s %ju", run->results[i].kernel, (uintmax_t)ctas_of(&run->results[i]));
    print_error("; %s\n", run->check.text);
}

static void every_workload_is_right_in_all_sizes_and_its_grids_grow(void **state)
{
    (void)state;
    struct session session;
    struct status status = {0};
    begin(&session);
    size_t count;
    const struct workload *const *all = workload_list(&count);
    unsigned failed = 0;
    for (size_t i = 0; i < count; i++) {
        if (!workload_fits(all[i], SM))
            continue;
        struct demo_run run[WORKLOAD_SIZES];
        bool good = true;
        for (enum workload_size size = 0; size < WORKLOAD_SIZES; size++) {
            const struct workload_scale scale = {size, LEAST_SMS};
            good &= demo_run_workload(&run[size], all[i], &scale, &session, &status);
            good &= run[size].count > 0 && run[size].count <= WORKLOAD_LAUNCHES;
            assert_true(session_renew(&session, &status));
        }
        struct idle twice = {0};
        run_idle(all[i], SIZE_FULL, 2 * LEAST_SMS, &twice);
        good = good && grows(run) && twice.ctas > ctas_of(&run[SIZE_FULL].results[0]);
        for (enum workload_size size = 0; size < WORKLOAD_SIZES; size++) {
            if (!good)
                print_grids(all[i], &run[size]);
            demo_run_free(&run[size]);
        }
        failed += !good;
    }
    session_end(&session);
    assert_int_equal(failed, 0);
}

UNIT_TESTS(UNIT(workloads_give_right_results_on_pascal),
           UNIT(every_workload_gives_the_right_result_and_sees_each_wrong_one),
           UNIT(every_workload_is_right_in_all_sizes_and_its_grids_grow))
