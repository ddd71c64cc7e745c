/* Sampled launches: which ones are timed, and whether the interval of the sum is honest. Programs are made up here with
 * all their cycles. The choice sees those of the launches that it takes. */
#include "plan/sample.h"

#include <math.h>

#include "base/hash.h"
#include "probe/sample_sum.h"
#include "tests/unit.h"

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

/* ---- programs ---------------------------------------------------------------------------------------------------- */

enum { LAUNCHES = 2000, SEEDS = 60 };

struct made {
    uint64_t kernel, likeness;
    double cycles, instructions;
};

typedef struct made maker(unsigned i, uint64_t *seed);

static struct made alike(double cycles) { return (struct made){1, 1, cycles, 1000}; }
static double at_least(double least, double value) { return value > least ? value : least; }

static struct made steady(unsigned i, uint64_t *seed) { return (void)i, alike(1000 * (1 + 0.01 * normal(seed))); }
static struct made noisy(unsigned i, uint64_t *seed)
{
    return (void)i, alike(1000 * at_least(0.1, 1 + 0.2 * normal(seed)));
}
static struct made two_modes(unsigned i, uint64_t *seed) { return (void)i, alike(uniform(seed) < 0.5 ? 1000 : 2000); }
static struct made in_turn(unsigned i, uint64_t *seed) { return (void)seed, alike(1000 + 1000 * (i % 2)); }
static struct made drifting(unsigned i, uint64_t *seed) { return (void)seed, alike(1000 + 0.5 * i); }
static struct made slower_from_the_middle(unsigned i, uint64_t *seed)
{
    return (void)seed, alike(i < LAUNCHES / 2 ? 1000 : 2000);
}
static struct made rarely_slow(unsigned i, uint64_t *seed)
{
    return (void)i, alike(uniform(seed) < 0.05 ? 3000 : 1000);
}
static struct made slow_at_first(unsigned i, uint64_t *seed) { return (void)seed, alike(i == 0 ? 4000 : 1000); }

static struct made of_various_work(unsigned i, uint64_t *seed)
{
    double work = 1000 * exp(normal(seed));
    return (void)i, (struct made){1, 1, 200 + work * at_least(0.2, 1 + 0.05 * normal(seed)), work};
}

static struct made with_one_huge(unsigned i, uint64_t *seed)
{
    return i == 1000 ? (struct made){2, 2, 1e6, 1e6} : alike(1000 * (1 + 0.05 * normal(seed)));
}

static struct made of_many_kinds(unsigned i, uint64_t *seed)
{
    uint64_t kind = (uint64_t)(200 * uniform(seed));
    double work = 500 + 37 * (double)kind;
    return (void)i, (struct made){kind % 20, kind, work * (1 + 0.03 * normal(seed)), work};
}

/* Each kind once. */
static struct made never_alike(unsigned i, uint64_t *seed)
{
    return (struct made){i % 7, i, 1000 * (1 + uniform(seed)), 1000};
}

/* ---- a sampled run ----------------------------------------------------------------------------------------------- */

enum { CLASSES = 120 }; /* of launches with the same trace */

/* The launches of a program, and the class of each. */
struct program {
    struct made made[LAUNCHES];
    unsigned class[LAUNCHES]; /* CLASSES: no other launch has its trace */
};

/* `repeats`: four of five launches come from the classes, in any order. */
static void make_program(struct program *p, maker *make, bool repeats, uint64_t seed)
{
    struct made of_class[CLASSES];
    uint64_t own = hash_mix(seed);
    for (unsigned c = 0; c < CLASSES; c++)
        of_class[c] = make(c * (LAUNCHES / CLASSES), &own);
    for (unsigned i = 0; i < LAUNCHES; i++) {
        p->made[i] = make(i, &seed);
        p->class[i] = repeats && uniform(&own) < 0.8 ? (unsigned)(uniform(&own) * CLASSES) : CLASSES;
        if (p->class[i] < CLASSES)
            p->made[i] = of_class[p->class[i]];
    }
}

struct outcome {
    double error, half_width; /* over the true sum */
    unsigned timed;
    bool covered;
};

static struct sample_launch launch(struct sample_choice *choice, const struct made *made, unsigned class, bool known)
{
    struct sample_launch launch = {.kernel = made->kernel,
                                   .likeness = made->likeness,
                                   .instructions = made->instructions,
                                   .repeats = known,
                                   .trace = class < CLASSES ? class + 1 : 0,
                                   .timed = known || sample_takes(choice, made->kernel, made->likeness)};
    launch.cycles = launch.timed ? made->cycles : 0;
    if (known)
        sample_repeated(choice, made->cycles);
    else if (launch.timed)
        sample_told(choice, made->likeness, made->cycles, made->instructions);
    return launch;
}

static struct outcome sample_of(maker *make, double error, bool repeats, uint64_t seed)
{
    static struct program program;
    struct sample_choice choice = {.error = error};
    struct sample_sum sum = {0};
    bool known[CLASSES + 1] = {false};
    double truth = 0;
    make_program(&program, make, repeats, seed);
    for (unsigned i = 0; i < LAUNCHES; i++) {
        unsigned class = program.class[i];
        struct sample_launch one = launch(&choice, &program.made[i], class, known[class]);
        known[class] |= one.timed && class < CLASSES;
        assert_true(sample_sum_add(&sum, &one));
        truth += program.made[i].cycles;
    }
    assert_true(sample_sum_end(&sum));
    const struct sample_total *t = &sum.total;
    assert_int_equal(t->launches, LAUNCHES);
    assert_true((t->repeated > 0) == repeats);
    struct outcome outcome = {.error = t->cycles / truth - 1,
                              .half_width = t->half_width / truth,
                              .timed = (unsigned)t->timed,
                              .covered = fabs(t->cycles - truth) <= t->half_width + 1e-9 * truth};
    sample_forget(&choice);
    sample_sum_free(&sum);
    return outcome;
}

static struct outcome sample(maker *make, double error, uint64_t seed) { return sample_of(make, error, false, seed); }

/* Sixty runs. A binomial variable of 60 and 0.95 is 53 or less once in 40. */
struct runs {
    unsigned covered, timed; /* the latter in the mean */
    double error, half_width;
};

static struct runs many_of(maker *make, double error, bool repeats)
{
    struct runs runs = {0};
    for (unsigned s = 0; s < SEEDS; s++) {
        struct outcome o = sample_of(make, error, repeats, 1000 + s);
        runs.covered += o.covered;
        runs.timed += o.timed;
        runs.error += fabs(o.error) / SEEDS;
        runs.half_width += o.half_width / SEEDS;
    }
    runs.timed /= SEEDS;
    print_message("# covered %u of %u, error %.2f %%, half width %.2f %%, timed %u of %u\n", runs.covered, SEEDS,
                  100 * runs.error, 100 * runs.half_width, runs.timed, LAUNCHES);
    return runs;
}

static struct runs many(maker *make, double error) { return many_of(make, error, false); }

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void intervals_hold_the_truth_in_19_of_20_runs(void **state)
{
    static maker *const makers[] = {
        steady,      noisy,         two_modes,       in_turn,       drifting,     slower_from_the_middle,
        rarely_slow, slow_at_first, of_various_work, with_one_huge, of_many_kinds};
    (void)state;
    for (unsigned i = 0; i < sizeof makers / sizeof *makers; i++) {
        struct runs runs = many(makers[i], 0.03);
        assert_in_range(runs.covered, 54, SEEDS);
    }
}

static void intervals_hold_the_truth_of_programs_with_repeated_launches(void **state)
{
    static maker *const makers[] = {steady,      noisy,           two_modes,     slower_from_the_middle,
                                    rarely_slow, of_various_work, of_many_kinds, with_one_huge};
    (void)state;
    for (unsigned i = 0; i < sizeof makers / sizeof *makers; i++) {
        struct runs runs = many_of(makers[i], 0.03, true);
        assert_in_range(runs.covered, 54, SEEDS);
        assert_true(runs.half_width <= 0.03);
        assert_true(runs.timed <= LAUNCHES / 4);
    }
}

static void the_asked_error_is_met(void **state)
{
    static maker *const makers[] = {steady, noisy, two_modes, drifting, of_various_work, with_one_huge, of_many_kinds};
    (void)state;
    for (unsigned i = 0; i < sizeof makers / sizeof *makers; i++) {
        struct runs three = many(makers[i], 0.03), ten = many(makers[i], 0.10);
        assert_true(three.half_width <= 0.03 && three.error <= 0.015);
        assert_true(ten.half_width <= 0.10);
        assert_true(ten.timed <= three.timed);
    }
}

static void steady_launches_need_few(void **state)
{
    (void)state;
    assert_in_range(many(steady, 0.03).timed, 30, 100);
    assert_in_range(many(drifting, 0.03).timed, 30, 100);
}

static void launches_that_are_not_alike_are_all_timed(void **state)
{
    (void)state;
    struct outcome o = sample(never_alike, 0.03, 1);
    assert_int_equal(o.timed, LAUNCHES);
    assert_true(fabs(o.error) < 1e-12 && o.half_width == 0);
}

static void the_same_launches_lead_to_the_same_choice(void **state)
{
    (void)state;
    struct outcome a = sample(of_many_kinds, 0.03, 7), b = sample(of_many_kinds, 0.03, 7);
    assert_memory_equal(&a.error, &b.error, sizeof a.error);
    assert_int_equal(a.timed, b.timed);
}

static void a_launch_is_expected_to_take_what_its_kind_takes(void **state)
{
    struct sample_choice choice = {.error = 0.03};
    (void)state;
    assert_true(sample_expected(&choice, 5, 100) == 0);
    assert_true(sample_takes(&choice, 1, 5));
    assert_true(sample_expected(&choice, 5, 100) == 0);
    sample_told(&choice, 5, 300, 100);
    assert_true(sample_expected(&choice, 5, 100) == 300);
    assert_true(sample_expected(&choice, 5, 200) == 600);
    sample_forget(&choice);
}

/* Six launches with 3, 1, 1, 5 cycles known: two between neighbours, one behind the last. */
static void a_gap_has_the_mean_of_its_neighbours(void **state)
{
    static const double cycles[] = {100, 0, 0, 160, 0};
    struct sample_sum sum = {0};
    (void)state;
    for (unsigned i = 0; i < 5; i++)
        assert_true(sample_sum_add(&sum, &(struct sample_launch){1, 1, cycles[i] > 0, cycles[i], 10, 0, false, 0}));
    assert_true(sample_sum_end(&sum));
    assert_true(fabs(sum.total.cycles - (100 + 2 * 130 + 160 + 160)) < 1e-9);
    assert_int_equal(sum.total.timed, 2);
    assert_int_equal(sum.total.groups, 1);
    /* s = 60 / sqrt 2. The first stands for 1 other, the second for 1 and 1, and three have deviations of their own.
     * The jump of 60 lies somewhere in two. Three degrees of freedom. */
    double variance = 1800 * (1 + 4 + 3) + 4 * 3600 / 12.0;
    assert_true(fabs(sum.total.half_width / sqrt(variance) - 3.16) < 0.03);
    sample_sum_free(&sum);
}

static void nothing_is_known_of_a_spread_that_no_pair_shows(void **state)
{
    struct sample_sum sum = {0};
    (void)state;
    assert_true(sample_sum_add(&sum, &(struct sample_launch){1, 1, true, 100, 10, 0, false, 0}));
    assert_true(sample_sum_add(&sum, &(struct sample_launch){1, 1, false, 0, 10, 0, false, 0}));
    assert_true(sample_sum_end(&sum));
    assert_true(sum.total.cycles == 200 && isinf(sum.total.half_width));
    sample_sum_free(&sum);
    assert_true(sample_sum_add(&sum, &(struct sample_launch){1, 1, false, 0, 10, 0, false, 0}));
    assert_true(sample_sum_add(&sum, &(struct sample_launch){1, 1, true, 100, 10, 0, false, 0}));
    assert_true(sample_sum_end(&sum));
    assert_true(isinf(sum.total.half_width));
    sample_sum_free(&sum);
}

/* Three launches of a kind, the first and the last timed, the first with a standard deviation of 100. */
static void the_error_of_a_launch_sampled_inside_counts_for_those_it_stands_for(void **state)
{
    (void)state;
    double half[2];
    for (unsigned exact = 0; exact < 2; exact++) {
        struct sample_sum sum = {0};
        assert_true(sample_sum_add(&sum, &(struct sample_launch){1, 1, true, 1000, 10, exact ? 0 : 196, false, 0}));
        assert_true(sample_sum_add(&sum, &(struct sample_launch){1, 1, false, 0, 10, 0, false, 0}));
        assert_true(sample_sum_add(&sum, &(struct sample_launch){1, 1, true, 1000, 10, 0, false, 0}));
        assert_true(sample_sum_end(&sum));
        half[exact] = sum.total.half_width;
        sample_sum_free(&sum);
    }
    assert_true(fabs(half[1]) < 1e-9); /* alike and exact */
    /* It counts for itself and for a half of the one behind it, with Student's quantile of three degrees or more. */
    assert_true(half[0] > 1.96 * 150 && half[0] < 3.3 * 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_the_truth_in_19_of_20_runs),
        cmocka_unit_test(intervals_hold_the_truth_of_programs_with_repeated_launches),
        cmocka_unit_test(the_asked_error_is_met),
        cmocka_unit_test(steady_launches_need_few),
        cmocka_unit_test(launches_that_are_not_alike_are_all_timed),
        cmocka_unit_test(the_same_launches_lead_to_the_same_choice),
        cmocka_unit_test(a_launch_is_expected_to_take_what_its_kind_takes),
        cmocka_unit_test(a_gap_has_the_mean_of_its_neighbours),
        cmocka_unit_test(the_error_of_a_launch_sampled_inside_counts_for_those_it_stands_for),
        cmocka_unit_test(nothing_is_known_of_a_spread_that_no_pair_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
