/* Launches and the code curve against a device whose answers are known. */
#include "tests/unit.h"
#include "validate/micro/code_sizes.def"
#include "validate/micro/measures.h"

enum { MEMORY = 4096, SMS = 10, CLOCK = 2000, ENTRY = 90, KIB = 64 };

struct fake {
    uint8_t memory[MEMORY];
    bool refuses;
};

static uint64_t fake_alloc(void *self, uint64_t bytes)
{
    (void)self, (void)bytes;
    return 256;
}

static void fake_release(void *self, uint64_t address) { (void)self, (void)address; }

static bool fake_write(void *self, uint64_t to, const void *from, uint64_t bytes)
{
    (void)self, (void)to, (void)from, (void)bytes;
    return true;
}

static bool fake_read(void *self, void *to, uint64_t from, uint64_t bytes)
{
    memcpy(to, ((struct fake *)self)->memory + from, bytes);
    return true;
}

#define COUNT(NUMBER, KIB, NEXT) +1
enum { LARGEST = CODE_SIZES(COUNT) };

static uint64_t kib_of(uint32_t size)
{
    switch (size) {
#define NAME(NUMBER, KIB, NEXT)                                                                                        \
    case NUMBER: return KIB;
        CODE_SIZES(NAME)
    default: return 0;
    }
}

/* Up to 32 KiB an instruction takes a cycle, up to 128 KiB two, then five. The first eight of 16 turns take twice as
 * much. */
static bool fake_launch(void *self, const char *kernel, unsigned ctas, unsigned threads, unsigned shared_bytes,
                        const void *parameters, size_t parameter_bytes)
{
    struct fake *f = self;
    struct {
        uint64_t out;
        uint32_t size;
    } p;
    (void)ctas, (void)threads, (void)shared_bytes, (void)parameter_bytes;
    assert_string_equal(kernel, "code_curve");
    memcpy(&p, parameters, sizeof p);
    assert_in_range(p.size, 0, LARGEST);
    uint64_t kib = kib_of(p.size), cycles = ENTRY + kib * KIB * (kib <= 32 ? 1 : kib <= 128 ? 2 : 5);
    for (unsigned turn = 0; turn < 16; turn++) {
        uint64_t begin = 1000 * turn, end = begin + cycles * (turn < 8 ? 2 : 1);
        memcpy(f->memory + p.out + 16 * turn, &begin, 8);
        memcpy(f->memory + p.out + 16 * turn + 8, &end, 8);
    }
    return !f->refuses;
}

/* A launch takes 3 us, another one behind it 1 us, and each CTA 4 ns, of 1024 threads 5. */
static bool fake_repeat(void *self, const char *kernel, unsigned ctas, unsigned threads, unsigned launches, double *ns)
{
    assert_string_equal(kernel, "launch_empty");
    *ns = 3000 + 1000.0 * (launches - 1) + (threads == 1024 ? 5.0 : 4.0) * ctas;
    return !((struct fake *)self)->refuses;
}

static struct fake fake;
static const struct measure_device device = {
    .self = &fake,
    .gpu = {.sms = SMS, .clock = CLOCK},
    .alloc = fake_alloc,
    .release = fake_release,
    .write = fake_write,
    .read = fake_read,
    .launch = fake_launch,
    .repeat = fake_repeat,
};

static double value_of(const struct measure_run *run, const char *name)
{
    for (size_t i = 0; i < run->values; i++)
        if (strcmp(run->value[i].name, name) == 0)
            return run->value[i].value;
    fail_msg("no %s", name);
    return 0;
}

static bool near(double a, double b) { return a > b - 1e-9 && a < b + 1e-9; }

static void a_further_launch_is_told_from_the_first_and_a_cta_from_a_grid(void **state)
{
    (void)state;
    struct measure_run run;
    assert_true(measure_run(&run, &measure_launch, &device, false));
    assert_true(near(value_of(&run, "launch.alone"), 3.004));
    assert_true(near(value_of(&run, "launch.next"), 1));
    assert_true(near(value_of(&run, "launch.cta.32"), 8));
    assert_true(near(value_of(&run, "launch.cta.1024"), 10));
    measure_run_free(&run);
}

static void what_leads_to_the_code_does_not_count_and_knees_lie_where_it_gets_slow(void **state)
{
    (void)state;
    struct measure_run run;
    assert_true(measure_run(&run, &measure_icache, &device, true));
    assert_true(near(value_of(&run, "icache.1"), 1));
    assert_true(near(value_of(&run, "icache.32"), 1));
    assert_true(near(value_of(&run, "icache.40"), 2));
    assert_true(near(value_of(&run, "icache.512"), 5));
    assert_true(near(value_of(&run, "icache.knee.flat"), 32));
    assert_true(near(value_of(&run, "icache.knee.half"), 128 + 16.0 / 3)); /* three cycles lie a third of the way */
    measure_run_free(&run);
}

static void a_kernel_that_does_not_run_fails_the_measurement(void **state)
{
    (void)state;
    struct measure_run run;
    fake.refuses = true;
    assert_false(measure_run(&run, &measure_launch, &device, true));
    assert_non_null(strstr(run.error, "launch_empty"));
    measure_run_free(&run);
    assert_false(measure_run(&run, &measure_icache, &device, true));
    assert_non_null(strstr(run.error, "code_curve"));
    measure_run_free(&run);
    fake.refuses = false;
}

UNIT_TESTS(UNIT(a_further_launch_is_told_from_the_first_and_a_cta_from_a_grid),
           UNIT(what_leads_to_the_code_does_not_count_and_knees_lie_where_it_gets_slow),
           UNIT(a_kernel_that_does_not_run_fails_the_measurement))
