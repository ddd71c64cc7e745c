/* Waves of CTAs that a sampled launch times: which ones, and whether the interval of the estimate is honest. Grids are
 * made up here with the cycles of each CTA, and run by a machine that has slots and nothing else. */
#include <math.h>

#include "base/hash.h"
#include "plan/wave_estimate.h"
#include "tests/unit.h"

enum { SLOTS = 64, CTAS = 64 * 120, SEEDS = 40 };

/* ---- random numbers ---------------------------------------------------------------------------------------------- */

static double uniform(uint64_t *seed)
{
    *seed = hash_mix(*seed);
    return ((double)(*seed >> 11) + 0.5) / (double)(UINT64_C(1) << 53);
}

static double normal(uint64_t *seed)
{
    double size = sqrt(-2 * log(uniform(seed)));
    return size * cos(6.283185307179586 * uniform(seed));
}

/* ---- grids ------------------------------------------------------------------------------------------------------- */

struct made {
    double cycles, instructions;
};

typedef struct made maker(unsigned cta, uint64_t *seed);

static struct made alike(double cycles) { return (struct made){cycles, 1000}; }

static struct made equal(unsigned i, uint64_t *seed) { return (void)i, (void)seed, alike(1000); }
static struct made steady(unsigned i, uint64_t *seed) { return (void)i, alike(1000 * (1 + 0.02 * normal(seed))); }
static struct made noisy(unsigned i, uint64_t *seed)
{
    return (void)i, alike(1000 * fmax(0.1, 1 + 0.3 * normal(seed)));
}
static struct made rarely_slow(unsigned i, uint64_t *seed)
{
    return (void)i, alike(uniform(seed) < 0.05 ? 3000 : 1000);
}
static struct made drifting(unsigned i, uint64_t *seed)
{
    return alike((1000 + 1000.0 * i / CTAS) * (1 + 0.02 * normal(seed)));
}
static struct made slower_from_the_middle(unsigned i, uint64_t *seed)
{
    return alike((i < CTAS / 2 ? 1000 : 3000) * (1 + 0.02 * normal(seed)));
}
static struct made in_turn(unsigned i, uint64_t *seed) { return (void)seed, alike(i / SLOTS % 2 ? 1000 : 2000); }
static struct made of_various_work(unsigned i, uint64_t *seed)
{
    double work = 1000 * exp(0.7 * normal(seed));
    return (void)i, (struct made){work * fmax(0.2, 1 + 0.05 * normal(seed)), work};
}
static struct made of_growing_work(unsigned i, uint64_t *seed)
{
    double work = 500 + 2000.0 * i / CTAS;
    return (struct made){work * fmax(0.2, 1 + 0.05 * normal(seed)), work};
}

/* ---- a machine --------------------------------------------------------------------------------------------------- */

struct rig {
    maker *make;
    uint64_t seed;
    double end[SLOTS]; /* of the CTA in a slot */
    double instructions, rest, handed;
    uint64_t timed;
};

static struct made cta_of(const struct rig *r, unsigned cta)
{
    uint64_t seed = hash_mix(r->seed * CTAS + cta);
    return r->make(cta, &seed);
}

static void hand_out(struct rig *r, unsigned cta)
{
    unsigned first = 0;
    for (unsigned i = 1; i < SLOTS; i++)
        first = r->end[i] < r->end[first] ? i : first;
    struct made made = cta_of(r, cta);
    r->handed = r->end[first];
    r->end[first] += made.cycles;
    r->instructions += made.instructions;
    r->timed++;
}

static double last_end(const struct rig *r)
{
    double last = 0;
    for (unsigned i = 0; i < SLOTS; i++)
        last = fmax(last, r->end[i]);
    return last;
}

static double whole(maker *make, uint64_t seed, unsigned ctas)
{
    struct rig r = {.make = make, .seed = seed};
    for (unsigned i = 0; i < ctas; i++)
        hand_out(&r, i);
    return last_end(&r);
}

struct outcome {
    double cycles, half_width;
    uint64_t timed;
    bool gaps;
};

static struct outcome sampled(maker *make, uint64_t seed, unsigned ctas, double error)
{
    struct rig r = {.make = make, .seed = seed};
    struct wave_sample s = {.error = error};
    wave_sample_begin(&s, ctas, SLOTS, 0.03);
    for (uint64_t cta = 0, end; cta < ctas;) {
        const struct wave_state now = {.handed = (uint64_t)r.handed,
                                       .cycle = (uint64_t)r.handed,
                                       .instructions = (uint64_t)r.instructions,
                                       .rest = (uint64_t)r.rest,
                                       .refill = 4 * SLOTS};
        enum wave_action action = wave_sample_ask(&s, &now, cta, &end);
        assert_true(end > cta && end <= ctas);
        for (; cta < end; cta++) {
            if (action == WAVE_TIME)
                hand_out(&r, (unsigned)cta);
            else
                r.rest += cta_of(&r, (unsigned)cta).instructions;
        }
    }
    struct outcome o = {.cycles = last_end(&r), .timed = r.timed, .gaps = wave_sample_has_gaps(&s)};
    if (o.gaps) {
        struct wave_estimate e = wave_estimate(&s);
        o.cycles += e.cycles;
        o.half_width = e.half_width;
    }
    return o;
}

/* ---- coverage ---------------------------------------------------------------------------------------------------- */

static void the_interval_holds_as_often_as_it_says(void **state)
{
    static const struct {
        const char *name;
        maker *make;
        double mean_error; /* at most */
        unsigned timed;    /* percent of the CTAs, at most */
    } rows[] = {
        {"equal", equal, 0.001, 35},
        {"2 %", steady, 0.005, 35},
        {"30 %", noisy, 0.01, 40},
        {"one in twenty takes three times as long", rarely_slow, 0.01, 95},
        {"a drift to twice the time", drifting, 0.005, 60},
        {"three times the time from the middle on", slower_from_the_middle, 0.01, 65},
        {"waves of two lengths in turn", in_turn, 0.01, 35},
        {"work with a deviation of 0.8, known", of_various_work, 0.015, 50},
        {"work that grows to five times, known", of_growing_work, 0.015, 35},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned held = 0;
        double errors = 0, widths = 0, timed = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            double truth = whole(rows[i].make, seed, CTAS);
            struct outcome o = sampled(rows[i].make, seed, CTAS, 0.03);
            held += fabs(o.cycles - truth) <= o.half_width;
            errors += fabs(o.cycles / truth - 1) / SEEDS;
            widths += o.half_width / o.cycles / SEEDS;
            timed += 100.0 * (double)o.timed / CTAS / SEEDS;
        }
        print_message("%-42s held %u of %u, error %.2f %%, stated %.2f %%, timed %.0f %%\n", rows[i].name, held, SEEDS,
                      100 * errors, 100 * widths, timed);
        assert_true(held * 100 >= SEEDS * 90);
        assert_true(errors <= rows[i].mean_error);
        assert_true(timed <= rows[i].timed);
    }
}

static void a_tighter_error_times_more_and_states_less(void **state)
{
    (void)state;
    struct outcome wide = sampled(noisy, 7, CTAS, 0.1), tight = sampled(noisy, 7, CTAS, 0.01);
    assert_true(tight.timed > wide.timed);
    assert_true(tight.half_width < wide.half_width);
}

static void a_longer_grid_is_timed_to_a_smaller_part(void **state)
{
    (void)state;
    struct outcome some = sampled(steady, 3, CTAS, 0.03), many = sampled(steady, 3, 8 * CTAS, 0.03);
    assert_true((double)many.timed / 8 < 0.5 * (double)some.timed);
}

/* ---- launches that are not sampled ------------------------------------------------------------------------------- */

static void a_grid_of_few_waves_is_timed_whole(void **state)
{
    (void)state;
    for (unsigned ctas = 1; ctas < WAVE_LEAST * SLOTS; ctas += 61) {
        struct outcome o = sampled(noisy, 5, ctas, 0.03);
        assert_false(o.gaps);
        assert_int_equal(o.timed, ctas);
        assert_true(o.cycles == whole(noisy, 5, ctas));
    }
}

/* One huge CTA, a persistent kernel: the grid is no larger than a wave. */
static void a_grid_that_is_resident_at_once_is_timed_whole(void **state)
{
    struct wave_sample s = {.error = 0.03};
    const struct wave_state now = {0};
    uint64_t end;
    (void)state;
    wave_sample_begin(&s, 864, 864, 0.03);
    assert_int_equal(wave_sample_ask(&s, &now, 0, &end), WAVE_TIME);
    assert_int_equal(end, 864);
}

static void the_begin_and_the_end_of_the_grid_are_timed(void **state)
{
    struct wave_sample s = {.error = 0.03};
    struct wave_state now = {.refill = 100};
    (void)state;
    wave_sample_begin(&s, CTAS, SLOTS, 0.03);
    for (uint64_t cta = 0, end; cta < CTAS; cta = end) {
        enum wave_action action = wave_sample_ask(&s, &now, cta, &end);
        if (cta < 3 * SLOTS || end > CTAS - 2 * SLOTS)
            assert_int_equal(action, WAVE_TIME);
        if (action == WAVE_EXECUTE)
            assert_true(s.gap_end - end == 100); /* the last ones before a window are shown to the L2 */
        now.handed += 1000, now.cycle += 1000, now.instructions += 1000, now.sectors += 10;
    }
    assert_true(s.windows >= 7);
    assert_true(wave_sample_has_gaps(&s));
}

/* ---- the estimate ------------------------------------------------------------------------------------------------ */

/* Windows of 10 CTAs whose cycles are 1000, and 2 for each sector that the L2 has given to memory meanwhile. */
static void what_the_l2_owes_memory_is_taken_off_the_windows(void **state)
{
    static const double dirty[] = {100, -40, 30, -90, 0, 60};
    struct wave_sample s = {.error = 0.03, .wave = 10, .sectors_per_cta = 5};
    (void)state;
    for (unsigned i = 0; i < 6; i++)
        s.window[s.windows++] = (struct wave_window){.ctas = 10,
                                                     .cycles = 1000 - 2 * dirty[i],
                                                     .span = 1000 - 2 * dirty[i],
                                                     .instructions = 100,
                                                     .sectors = 50,
                                                     .dirty = dirty[i],
                                                     .gap = i < 5 ? 20 : 0,
                                                     .gap_instructions = i < 5 ? 200 : 0,
                                                     .gap_dirty = i == 0 ? 70 : 0};
    struct wave_estimate e = wave_estimate(&s);
    assert_true(fabs(e.cycles - (5 * 2000 - 2 * 70)) < 1e-6);
    assert_true(e.half_width < 1.001 * WAVE_BIAS * e.cycles);
}

/* Windows of 10 CTAs that move 2 sectors more or less than the 50 of each 10 CTAs. A sector takes memory 10 cycles, of
 * which its pins take `pin`. The L2 serves as many sectors as there are CTAs. */
static struct wave_estimate of_windows_that_move(double pin)
{
    static const double more[] = {2, -2, 2, -2, 2, -2};
    struct wave_sample s = {.error = 0.03, .wave = 10, .sectors_per_cta = 1, .moved_per_cta = 5, .pin = pin};
    for (unsigned i = 0; i < 6; i++)
        s.window[s.windows++] = (struct wave_window){.ctas = 10,
                                                     .cycles = 10 * (50 + more[i]),
                                                     .span = 10 * (50 + more[i]),
                                                     .instructions = 100,
                                                     .sectors = 10,
                                                     .moved = 50 + more[i],
                                                     .gap = i < 5 ? 20 : 0,
                                                     .gap_instructions = i < 5 ? 200 : 0,
                                                     .gap_dirty = i == 0 ? 70 : 0};
    return wave_estimate(&s);
}

static void what_memory_moves_is_work_where_memory_is_busy(void **state)
{
    (void)state;
    struct wave_estimate e = of_windows_that_move(5.1);
    assert_true(fabs(e.cycles - 10 * (5 * 100 - 70)) < 1e-6);
    assert_true(e.half_width < 1.001 * WAVE_BIAS * e.cycles);
    struct wave_estimate idle = of_windows_that_move(4.9);
    assert_true(fabs(idle.cycles - 5 * 1000) < 1e-6);
    assert_true(idle.half_width > 2 * WAVE_BIAS * idle.cycles);
}

/* Of the 20 sectors that each CTA makes dirty, memory gets 15 while windows and gaps go on. */
static void sectors_that_are_dirty_yet_are_to_be_moved(void **state)
{
    struct wave_sample s = {.error = 0.03};
    struct wave_state now = {.refill = 2 * SLOTS};
    (void)state;
    wave_sample_begin(&s, CTAS, SLOTS, 0.03);
    for (uint64_t cta = 0, end; cta < CTAS; cta = end) {
        bool timed = wave_sample_ask(&s, &now, cta, &end) == WAVE_TIME;
        uint64_t ctas = end - cta;
        now.handed += timed ? 1000 : 0, now.cycle += timed ? 1000 : 0, now.instructions += timed ? 1000 : 0;
        now.moved += timed ? 15 * ctas : 0;
        now.dirty += (timed ? 5 : 1) * ctas;
    }
    assert_true(s.gaps_dirty > 0);
    assert_true(fabs(s.moved_per_cta - 20) < 1e-9);
}

static void two_windows_give_no_interval(void **state)
{
    struct wave_sample s = {.error = 0.03, .windows = 2};
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        s.window[i] = (struct wave_window){.ctas = 10,
                                           .cycles = 100,
                                           .span = 100,
                                           .instructions = 100,
                                           .sectors = 1,
                                           .gap = 10,
                                           .gap_instructions = 100};
    assert_true(wave_estimate(&s).half_width > 1e300);
}

UNIT_TESTS(UNIT(the_interval_holds_as_often_as_it_says), UNIT(a_tighter_error_times_more_and_states_less),
           UNIT(a_longer_grid_is_timed_to_a_smaller_part), UNIT(a_grid_of_few_waves_is_timed_whole),
           UNIT(a_grid_that_is_resident_at_once_is_timed_whole), UNIT(the_begin_and_the_end_of_the_grid_are_timed),
           UNIT(what_the_l2_owes_memory_is_taken_off_the_windows), UNIT(what_memory_moves_is_work_where_memory_is_busy),
           UNIT(sectors_that_are_dirty_yet_are_to_be_moved), UNIT(two_windows_give_no_interval))
