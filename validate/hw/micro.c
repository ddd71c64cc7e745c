#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "validate/micro/table.h"
#include "validate/micro/unit.h"

enum { REPEATS = 3, MOST_REPEATS = 64, NAME = 192 };

struct micro {
    const struct job *job;
    struct card *card;
    struct measure_device device;
    struct references references;
    FILE *rows, *csv; /* NULL: not wanted */
    char source[256];
    unsigned repeat, failed;
};

/* The published numbers of this GPU, to print beside. */
static void read_references(struct micro *m)
{
    char path[CARD_PATH + 64], error[128];
    enum { MOST = 1 << 22 };
    snprintf(path, sizeof path, "%s/data/published.csv", m->card->folder);
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(MOST) : NULL;
    if (text && !references_read(&m->references, text, fread(text, 1, MOST, file), error, sizeof error))
        fprintf(stderr, "validate-gpu: %s: %s\n", path, error);
    if (file)
        fclose(file);
    free(text);
}

static double value_of(const struct measure_run *run, const char *name)
{
    for (size_t i = 0; i < run->values; i++)
        if (strcmp(run->value[i].name, name) == 0)
            return run->value[i].value;
    return NAN;
}

/* A row for each number of the first run: the median of all runs that have it. */
static void write_values(const struct micro *m, const struct measure_run *run, unsigned runs)
{
    for (size_t i = 0; i < run[0].values; i++) {
        const char *name = run[0].value[i].name;
        double value[MOST_REPEATS];
        unsigned count = 0;
        for (unsigned r = 0; r < runs; r++) {
            double one = value_of(&run[r], name);
            if (m->csv && !isnan(one))
                fprintf(m->csv, "%s,%s,%s,%u,%.10g,%s\n", m->card->name, run->measure->name, name, r, one,
                        measure_unit(name));
            if (!isnan(one))
                value[count++] = one;
        }
        if (m->rows && count > 0)
            job_row(m->rows, m->card->name, name, job_median(value, count), measure_unit(name), m->source);
    }
    if (m->csv)
        fflush(m->csv);
}

static void run_one(struct micro *m, const struct measure *measure)
{
    struct measure_run run[MOST_REPEATS];
    struct table_count verdicts = {0};
    unsigned good = 0;
    for (unsigned i = 0; i < m->repeat; i++) {
        if (!measure_run(&run[good], measure, &m->device, m->job->quick)) {
            fprintf(stderr, "validate-gpu: micro %s, run %u: %s: %s\n", measure->name, i, run[good].error,
                    m->card->error);
            measure_run_free(&run[good]);
            m->failed++;
            break;
        }
        good++;
    }
    if (good > 0) {
        table_text(&run[0], &m->references, &verdicts, job_text(m->job));
        write_values(m, run, good);
    }
    for (unsigned i = 0; i < good; i++)
        measure_run_free(&run[i]);
}

static int list(void)
{
    size_t count;
    const struct measure *const *all = measure_list(&count);
    for (size_t i = 0; i < count; i++)
        printf("%s\n", all[i]->name);
    return JOB_GOOD;
}

static bool known(const char *name)
{
    size_t count;
    const struct measure *const *all = measure_list(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i]->name, name) == 0)
            return true;
    fprintf(stderr, "validate-gpu: there is no measurement '%s'; see validate-gpu micro --list\n", name);
    return false;
}

static void run_all(struct micro *m)
{
    size_t count;
    const struct measure *const *all = measure_list(&count);
    for (size_t i = 0; i < count; i++) {
        if (!job_wants(m->job, all[i]->name))
            continue;
        if (m->card->broken && !card_renew(m->card)) {
            fprintf(stderr, "validate-gpu: micro %s: the GPU does not come back: %s\n", all[i]->name, m->card->error);
            m->failed++;
            return;
        }
        run_one(m, all[i]);
    }
}

int job_micro(const struct job *job)
{
    struct card card;
    struct micro m = {.job = job, .card = &card, .repeat = job->repeat ? job->repeat : REPEATS};
    if (job->list)
        return list();
    for (unsigned i = 0; i < job->names; i++)
        if (!known(job->name[i]))
            return JOB_USAGE;
    if (m.repeat > MOST_REPEATS) {
        fprintf(stderr, "validate-gpu: --repeat %u: at most %d\n", m.repeat, MOST_REPEATS);
        return JOB_USAGE;
    }
    if (!job_open(job, &card, true))
        return JOB_FAILED;
    bool ok = card_measure_device(&card, &m.device);
    if (!ok)
        fprintf(stderr, "validate-gpu: micro: %s\n", card.error);
    job_source(&card, m.source, sizeof m.source);
    m.rows = ok ? job_output(job, &card, job->rows, JOB_ROWS_HEADING) : NULL;
    m.csv = ok ? job_output(job, &card, job->csv, "gpu,measure,quantity,run,value,unit") : NULL;
    ok = ok && (m.rows || !job->rows) && (m.csv || !job->csv);
    if (ok) {
        read_references(&m);
        run_all(&m);
    }
    ok = job_close(m.rows, job->rows) && ok;
    ok = job_close(m.csv, job->csv) && ok;
    references_free(&m.references);
    card_close(&card);
    return ok && m.failed == 0 ? JOB_GOOD : JOB_FAILED;
}
