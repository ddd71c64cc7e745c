/* bars GPU: the measurements on a GPU give the numbers of real ones, within the tolerance of each number; and the
 * numbers that the references call open are still those that do not fit. A test for each measurement, in its quick
 * form. */
#include <math.h>

#include "base/embed.h"
#include "cli/compare/measure_device.h"
#include "tests/unit.h"
#include "validate/reference.h"

enum { MOST_TESTS = 32 };

struct subject {
    const char *gpu;
    const struct measure *measure;
    const struct references *references;
};

/* Quantities that only the long form measures, with large L2s or with all. A number without a tolerance is not judged.
 * */
static bool is_long(const char *quantity)
{
    static const char *const all[] = {"bandwidth.dram.write", "bandwidth.dram.copy", "bandwidth.dram.triad",
                                      "chase.knee.near",      "chase.knee.l2",       "tlb.step.gpc",
                                      "tlb.reach.gpc",        "constant.knee.l0"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i], quantity) == 0)
            return true;
    return false;
}

static bool is_measured(const struct measure_run *run, const char *quantity)
{
    for (size_t i = 0; i < run->values; i++)
        if (strcmp(run->value[i].name, quantity) == 0)
            return true;
    return false;
}

/* Whether a quantity belongs to a measurement: "chase.l1" to "chase". */
static bool belongs(const char *quantity, const struct measure *measure)
{
    size_t length = strlen(measure->name);
    return strncmp(quantity, measure->name, length) == 0 && quantity[length] == '.';
}

static unsigned judge(const struct measure_run *run, const struct subject *s)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < s->references->count; i++) {
        const struct reference *r = &s->references->row[i];
        if (strcmp(r->gpu, s->gpu) == 0 && belongs(r->quantity, s->measure) && !isnan(r->tolerance) &&
            !is_measured(run, r->quantity) && !is_long(r->quantity)) {
            print_error("%s: not measured\n", r->quantity);
            wrong++;
        }
    }
    for (size_t i = 0; i < run->values; i++) {
        const struct measure_value *v = &run->value[i];
        const struct reference *r = references_find(s->references, s->gpu, v->name);
        enum reference_verdict verdict = reference_judge(r, v->value);
        if (verdict == REFERENCE_MISS || verdict == REFERENCE_CLOSED) {
            print_error("%s: %g, %s %g..%g (%s)\n", v->name, v->value,
                        verdict == REFERENCE_MISS ? "not within" : "called open, but within", r->low, r->high,
                        r->source);
            wrong++;
        }
    }
    return wrong;
}

static void gives_what_real_gpus_gave(void **state)
{
    const struct subject *s = *state;
    struct status status = {0};
    struct session session;
    struct measure_sim sim;
    struct measure_run run;
    const struct cli_options options = {.gpu = s->gpu, .threads = 1, .quiet = true};
    if (!session_begin(&session, &options, &status) || !measure_sim_begin(&sim, &session, s->gpu, &status))
        fail_msg("%s", status.text);
    if (!measure_run(&run, s->measure, &sim.device, true))
        fail_msg("%s; %s", run.error, sim.status.text);
    unsigned wrong = judge(&run, s);
    measure_run_free(&run);
    session_end(&session);
    assert_int_equal(wrong, 0);
}

/* The quick form leaves long measurements to GPUs with a small L2, where the architecture has one. */
static bool is_slow(const struct subject *s)
{
    static const char *const large[] = {"rtx-4090", "h100-sxm", "h200", "rtx-5070-ti", "rtx-5090"};
    bool slow = strcmp(s->measure->name, "chase") == 0 || strcmp(s->measure->name, "bandwidth") == 0;
    for (size_t i = 0; slow && i < sizeof large / sizeof large[0]; i++)
        if (strcmp(large[i], s->gpu) == 0)
            return true;
    return false;
}

static bool has_reference(const struct subject *s)
{
    for (size_t i = 0; i < s->references->count; i++)
        if (strcmp(s->references->row[i].gpu, s->gpu) == 0 && belongs(s->references->row[i].quantity, s->measure))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    struct references references = {0};
    struct subject subject[MOST_TESTS];
    struct CMUnitTest tests[MOST_TESTS];
    size_t count, files, used = 0;
    char error[128];
    const struct embedded *file = embedded_references(&files);
    const struct measure *const *all = measure_list(&count);
    bool read = argc == 2;
    for (size_t i = 0; read && i < files; i++)
        read = references_read(&references, (const char *)file[i].data, file[i].size, error, sizeof error);
    if (!read)
        return EXIT_FAILURE;
    for (size_t i = 0; i < count && used < MOST_TESTS; i++) {
        subject[used] = (struct subject){argv[1], all[i], &references};
        if (has_reference(&subject[used]) && (unit_full() || !is_slow(&subject[used]))) {
            tests[used] = (struct CMUnitTest){
                .name = all[i]->name, .test_func = gives_what_real_gpus_gave, .initial_state = &subject[used]};
            used++;
        }
    }
    int failed = used > 0 ? _cmocka_run_group_tests("bars", tests, used, NULL, NULL) : EXIT_FAILURE;
    references_free(&references);
    return failed;
}
