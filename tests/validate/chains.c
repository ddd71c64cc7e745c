/* The host side against a device that only keeps memory and looks at launches. */
#include "tests/unit.h"
#include "validate/micro/bench.h"

enum { MEMORY = 1 << 20 };

struct fake {
    uint8_t memory[MEMORY];
    uint64_t used;
    unsigned releases;
    unsigned hops; /* places of the chain that was launched, each once */
    bool closed;   /* it comes back to its first */
};

static uint64_t fake_alloc(void *self, uint64_t bytes)
{
    struct fake *f = self;
    uint64_t address = 256 + f->used;
    f->used += (bytes + 255) / 256 * 256;
    return f->used + 256 <= MEMORY ? address : 0;
}

static void fake_release(void *self, uint64_t address)
{
    (void)address;
    ((struct fake *)self)->releases++;
}

static bool fake_write(void *self, uint64_t to, const void *from, uint64_t bytes)
{
    memcpy(((struct fake *)self)->memory + to, from, bytes);
    return true;
}

static bool fake_read(void *self, void *to, uint64_t from, uint64_t bytes)
{
    memcpy(to, ((struct fake *)self)->memory + from, bytes);
    return true;
}

static bool fake_launch(void *self, const char *kernel, unsigned ctas, unsigned threads, unsigned shared_bytes,
                        const void *parameters, size_t parameter_bytes)
{
    struct fake *f = self;
    struct {
        uint64_t base, out, first;
        uint32_t lines, mask, stride, warm, pages, lap, hops;
    } p;
    (void)kernel, (void)ctas, (void)threads, (void)shared_bytes, (void)parameter_bytes;
    memcpy(&p, parameters, sizeof p);
    static bool seen[MEMORY / 8];
    memset(seen, 0, sizeof seen);
    uint64_t at = p.first, next;
    unsigned length = 0;
    while (!seen[at / 8]) {
        seen[at / 8] = true;
        memcpy(&next, f->memory + at, 8);
        at = next;
        length++;
    }
    f->hops = length;
    f->closed = at == p.first;
    uint64_t cycles = 100 * (uint64_t)p.hops;
    memcpy(f->memory + p.out, &cycles, 8);
    return true;
}

static struct fake fake;
static const struct measure_device device = {
    .self = &fake,
    .gpu = {.sms = 1},
    .alloc = fake_alloc,
    .release = fake_release,
    .write = fake_write,
    .read = fake_read,
    .launch = fake_launch,
};

static void a_chain_leads_through_all_places_once(void **state)
{
    (void)state;
    for (uint64_t lines = 1; lines < 600; lines = lines * 3 + 1) {
        memset(&fake, 0, sizeof fake);
        struct measure_run run = {.device = &device};
        uint64_t base = bench_alloc(&run, lines * 128);
        const struct chain chain = {.lines = lines, .stride = 128, .lap = (uint32_t)lines, .hops = 256};
        assert_true(chain_time(&run, "chase_ca", base, &chain) == 100);
        assert_false(run.failed);
        assert_int_equal(fake.hops, lines);
        assert_true(fake.closed);
    }
}

static void only_the_links_that_are_followed_are_written(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    struct measure_run run = {.device = &device};
    uint64_t base = bench_alloc(&run, 4096 * 128);
    const struct chain chain = {.lines = 4096, .stride = 128, .hops = 64};
    chain_time(&run, "chase_ca", base, &chain);
    assert_true(fake.closed);
    assert_in_range(fake.hops, 64, 64 + 32);
}

static void a_failure_stays_and_stops_everything(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    struct measure_run run = {.device = &device};
    assert_int_equal(bench_alloc(&run, 2 * MEMORY), 0);
    assert_true(run.failed);
    assert_int_equal(bench_alloc(&run, 64), 0);
    const struct stream stream = {.mode = STREAM_READ, .bytes = 4096, .passes = 1, .threads = 32, .ctas = 1};
    assert_true(stream_rate(&run, &stream) == 0);
    assert_non_null(strstr(run.error, "no device memory"));
}

static void amounts_of_streams_are_multiples_of_what_the_grid_takes(void **state)
{
    (void)state;
    struct measure_run run = {.device = &device};
    const struct stream stream = {.mode = STREAM_READ, .threads = 64, .ctas = 2};
    assert_int_equal(stream_unit(&run, &stream), 64 * 2 * 4 * 16);
}

UNIT_TESTS(UNIT(a_chain_leads_through_all_places_once), UNIT(only_the_links_that_are_followed_are_written),
           UNIT(a_failure_stays_and_stops_everything), UNIT(amounts_of_streams_are_multiples_of_what_the_grid_takes))
