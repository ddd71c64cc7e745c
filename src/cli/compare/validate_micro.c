#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/measure_device.h"
#include "cli/compare/validation.h"
#include "cli/interrupt.h"
#include "experiment/experiment.h"
#include "report/format.h"
#include "validate/micro/table.h"

enum { QUANTITY = 192, NUMBERS = 32 };

/* ---- measurements ------------------------------------------------------------------------------------------------ */

static const char *unit_of(const struct validation *v, const char *quantity)
{
    const struct reference *reference = references_find(&v->references, v->gpu, quantity);
    return reference ? reference->unit : "";
}

static bool add_values(struct validation *v, const struct measure_run *run)
{
    for (size_t i = 0; i < run->values; i++)
        if (!validation_add(v, COMPARISON_MEASUREMENT, run->value[i].name, unit_of(v, run->value[i].name),
                            run->value[i].value))
            return false;
    return true;
}

static void print_measure(const struct validation *v, const struct measure_run *run, double seconds)
{
    struct table_count count = {0};
    table_count(run, &v->references, &count);
    fprintf(v->out, "%-20s %6zu %6u %6u %6u %10s\n", run->measure->name, run->values, count.ok + count.closed,
            count.missed, count.open, format_time(seconds).text);
    fflush(v->out);
}

static bool run_measure(struct validation *v, const struct measure *measure, struct measure_sim *sim)
{
    struct measure_run run;
    double before = sim->seconds;
    bool ok = true, ran = measure_run(&run, measure, &sim->device, v->options->quick);
    if (ran)
        ok = add_values(v, &run);
    if (ran && v->out)
        print_measure(v, &run, sim->seconds - before);
    if (!ran && v->out)
        fprintf(v->out, "%-20s FAILED: %s\n", measure->name,
                sim->status.code != STATUS_OK ? sim->status.text : run.error);
    if (sim->status.code == STATUS_INTERRUPTED)
        ok = status_fail(v->status, STATUS_INTERRUPTED, "interrupted");
    v->runs++;
    v->failed += !ran;
    sim->status = (struct status){0};
    measure_run_free(&run);
    return ok;
}

bool validate_measurements(struct validation *v)
{
    struct session session;
    struct measure_sim sim;
    size_t count;
    const struct measure *const *all = measure_list(&count);
    if (!session_begin(&session, v->options, v->status))
        return false;
    bool ok = measure_sim_begin(&sim, &session, v->options->gpu, v->status), heading = false;
    for (size_t i = 0; ok && i < count; i++) {
        if (!validation_wants(v, "micro", all[i]->name))
            continue;
        if (v->out && !heading)
            fprintf(v->out, "\n%-20s %6s %6s %6s %6s %10s\n", "measurements", "values", "ok", "miss", "open", "host");
        heading = true;
        ok = run_measure(v, all[i], &sim);
    }
    session_end(&session);
    return ok;
}

/* ---- experiments ------------------------------------------------------------------------------------------------- */

/* The numbers of "13/15/17"; 0 when it is a text. */
static unsigned read_numbers(const char *text, double number[NUMBERS])
{
    for (unsigned count = 0; count < NUMBERS; text++) {
        char *end;
        number[count] = strtod(text, &end);
        if (end == text || (*end && *end != '/'))
            return 0;
        text = end;
        count++;
        if (!*text)
            return count;
    }
    return 0;
}

/* "2 %" of 50 is 2 %, "1" of 50 is 2 %. */
static double tolerance_percent(const char *tolerance, double expected)
{
    char *unit;
    double allowed = strtod(tolerance, &unit);
    return strchr(unit, '%') ? allowed : expected != 0 ? 100 * allowed / fabs(expected) : 0;
}

static bool add_outcome(struct validation *v, const struct experiment *e, unsigned row, unsigned measure,
                        const struct experiment_row *outcomes)
{
    const struct experiment_outcome *o = &outcomes->outcome[measure];
    double expected[NUMBERS], simulated[NUMBERS];
    unsigned count = read_numbers(o->expected, expected);
    if (o->verdict == VERDICT_NONE || count == 0 || read_numbers(o->simulated, simulated) != count)
        return true;
    for (unsigned i = 0; i < count; i++) {
        char quantity[QUANTITY];
        int used =
            snprintf(quantity, sizeof quantity, "experiment.%s.%u.%s", e->name, row + 1, e->measure[measure].name);
        if (count > 1)
            snprintf(quantity + used, sizeof quantity - (size_t)used, ".%u", i);
        const struct reference reference = {
            .low = expected[i],
            .high = expected[i],
            .tolerance = tolerance_percent(e->tolerance ? e->tolerance : "0", expected[i]),
            .unit = e->unit ? e->unit : "cycles",
            .source = e->source,
            .open = o->verdict == VERDICT_OPEN ? outcomes->open : "",
        };
        if (!comparison_add(&v->comparison, COMPARISON_EXPERIMENT, quantity, reference.unit, simulated[i], &reference))
            return validation_no_memory(v);
    }
    return true;
}

static bool add_outcomes(struct validation *v, const struct experiment_run *run)
{
    for (unsigned row = run->from; row < run->to; row++)
        for (unsigned m = 0; m < run->experiment->measures; m++)
            if (!add_outcome(v, run->experiment, row, m, &run->row[row]))
                return false;
    return true;
}

static bool run_experiment(struct validation *v, const struct experiment *e)
{
    struct config config;
    struct experiment_run run;
    const struct experiment_site site = {&config, v->gpu, {.threads = 1, .stop = interrupt_catch()}, NULL};
    struct status own = {0};
    if (!session_config(&config, v->options->gpu, &v->options->set, v->status))
        return false;
    bool ran = experiment_run(&run, e, 0, e->rows, &site, &own);
    bool ok = !ran || add_outcomes(v, &run);
    if (v->out && ran)
        fprintf(v->out, "%-20s %6u %6u %6u %6u\n", e->name, run.ok + run.missed + run.open, run.ok, run.missed,
                run.open);
    if (v->out && !ran)
        fprintf(v->out, "%-20s FAILED: %s\n", e->name, own.text);
    v->missed += run.missed;
    v->open += run.open;
    experiment_run_free(&run);
    v->runs++;
    v->failed += !ran;
    if (own.code == STATUS_INTERRUPTED)
        return status_fail(v->status, STATUS_INTERRUPTED, "interrupted");
    return ok;
}

bool validate_experiments(struct validation *v)
{
    bool ok = true, heading = false;
    for (size_t i = 0; ok && i < experiment_count(); i++) {
        struct experiment e;
        if (!validation_wants(v, "experiments", experiment_name(i)))
            continue;
        ok = experiment_read(&e, experiment_name(i), v->status);
        if (ok && experiment_lists(e.gpus, v->gpu)) {
            if (v->out && !heading)
                fprintf(v->out, "\n%-20s %6s %6s %6s %6s\n", "experiments", "rows", "ok", "miss", "open");
            heading = true;
            ok = run_experiment(v, &e);
        }
        if (e.text)
            experiment_free(&e);
    }
    return ok;
}
