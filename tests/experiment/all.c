/* Every experiment on every GPU that was measured, a test each: rows give the numbers of the file, and the rows that
 * the file calls open are still those that do not. */
#include "experiment/experiment.h"
#include "tests/unit.h"

enum { MOST_TESTS = 256, NAME = 96 };

struct subject {
    const char *experiment;
    char gpu[NAME], title[2 * NAME];
};

static void check_row(const struct experiment_run *run, unsigned number)
{
    const struct experiment_row *row = &run->row[number];
    for (unsigned m = 0; m < run->experiment->measures; m++)
        if (row->outcome[m].verdict == VERDICT_MISS)
            fail_msg("row %u: %s is '%s' instead of '%s'", number + 1, run->experiment->measure[m].name,
                     row->outcome[m].simulated, row->outcome[m].expected);
    if (row->verdict == VERDICT_OK && row->open[0])
        fail_msg("row %u is called open, but it is within tolerance", number + 1);
}

static void gives_what_hardware_gave(void **state)
{
    const struct subject *s = *state;
    struct status status = {0};
    struct experiment e;
    struct experiment_run run;
    struct config config;
    struct experiment_site site = {&config, s->gpu, {.threads = 1}, NULL};
    if (!experiment_read(&e, s->experiment, &status) || !config_load(&config, s->gpu, &status) ||
        !experiment_run(&run, &e, 0, e.rows, &site, &status))
        fail_msg("%s", status.text);
    for (unsigned i = 0; i < e.rows; i++)
        check_row(&run, i);
    assert_true(run.unjudged < e.rows);
    experiment_run_free(&run);
    experiment_free(&e);
}

static unsigned add_subjects(struct subject *out, unsigned count, const char *name)
{
    struct status status = {0};
    struct experiment e;
    if (!experiment_read(&e, name, &status)) {
        print_error("%s\n", status.text);
        exit(EXIT_FAILURE);
    }
    for (const char *list = e.gpus + strspn(e.gpus, " ,"); *list && count < MOST_TESTS; list += strspn(list, " ,")) {
        size_t length = strcspn(list, " ,");
        struct subject *s = &out[count++];
        s->experiment = name;
        snprintf(s->gpu, sizeof s->gpu, "%.*s", (int)length, list);
        snprintf(s->title, sizeof s->title, "%s on %s", name, s->gpu);
        list += length;
    }
    experiment_free(&e);
    return count;
}

int main(void)
{
    static struct subject subject[MOST_TESTS];
    static struct CMUnitTest test[MOST_TESTS];
    unsigned count = 0;
    for (size_t i = 0; i < experiment_count(); i++)
        count = add_subjects(subject, count, experiment_name(i));
    for (unsigned i = 0; i < count; i++) {
        test[i].name = subject[i].title;
        test[i].test_func = gives_what_hardware_gave;
        test[i].initial_state = &subject[i];
    }
    return _cmocka_run_group_tests("experiments", test, count, NULL, NULL);
}
