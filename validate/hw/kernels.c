#include <string.h>

#include "job.h"
#include "launches.h"
#include "validate/kernels/workload.h"

enum { REPEATS = 5 };

#define HEADING "workload,size,launch,kernel,grid,block,check"
#define TIMED_HEADING HEADING ",median_ns,min_ns,max_ns,repeats"

struct kernels {
    const struct job *job;
    struct card *card;
    struct launches launches;
    FILE *rows, *csv; /* NULL: not wanted */
    char source[256];
    unsigned failed;
};

static const struct workload *find(const char *name)
{
    size_t count;
    const struct workload *const *all = workload_list(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    fprintf(stderr, "validate-gpu: there is no workload '%s'; see validate-gpu kernels --list\n", name);
    return NULL;
}

static int list(void)
{
    size_t count;
    const struct workload *const *all = workload_list(&count);
    for (size_t i = 0; i < count; i++)
        printf("%s\n", all[i]->name);
    return JOB_GOOD;
}

static void print_dim(const struct example_dim *dim, FILE *out) { fprintf(out, ",%ux%ux%u", dim->x, dim->y, dim->z); }

static void write_launch(const struct kernels *k, const struct workload *workload, const char *size, unsigned number,
                         bool ok)
{
    const struct launch_note *n = &k->launches.note[number];
    char quantity[160];
    if (k->csv) {
        fprintf(k->csv, "%s,%s,%u,%s", workload->name, size, number, n->kernel);
        print_dim(&n->grid, k->csv);
        print_dim(&n->block, k->csv);
        fprintf(k->csv, ",%s", ok ? "ok" : "FAILED");
        if (!k->job->once && n->repeats > 0)
            fprintf(k->csv, ",%.0f,%.0f,%.0f,%u", n->median, n->least, n->most, n->repeats);
        else if (!k->job->once)
            fprintf(k->csv, ",,,,0");
        fputc('\n', k->csv);
    }
    if (k->rows && ok && n->repeats > 0) {
        snprintf(quantity, sizeof quantity, "kernel.%s.%s.%u.event_ns", workload->name, size, number);
        job_row(k->rows, k->card->name, quantity, n->median, "ns", k->source);
    }
}

static void run_one(struct kernels *k, const struct workload *workload, enum workload_size size)
{
    struct card *card = k->card;
    const struct workload_scale scale = {size, (uint32_t)card_attribute(card, ATTRIBUTE_SMS)};
    struct example_result result = {0};
    card->error[0] = '\0';
    if (card->broken && !card_renew(card))
        snprintf(result.text, sizeof result.text, "the GPU does not come back after a fault");
    else if (!launches_begin(&k->launches, card, "kernels", workload->module))
        snprintf(result.text, sizeof result.text, "it cannot be loaded");
    else {
        const struct example_device device = launches_device(&k->launches);
        result = workload->run(&device, &scale);
    }
    card_release_all(card);
    if (!result.ok) {
        fprintf(stderr, "validate-gpu: %s, %s: %s%s%s\n", workload->name, workload_size_name(size), result.text,
                card->error[0] ? ": " : "", card->error);
        k->failed++;
    } else {
        fprintf(job_text(k->job), "%-20s %-7s %s\n", workload->name, workload_size_name(size), result.text);
    }
    for (unsigned i = 0; i < k->launches.count; i++)
        write_launch(k, workload, workload_size_name(size), i, result.ok);
    if (k->csv)
        fflush(k->csv);
    fflush(job_text(k->job));
}

static void run_all(struct kernels *k)
{
    size_t count;
    const struct workload *const *all = workload_list(&count);
    for (size_t i = 0; i < count; i++)
        for (enum workload_size size = SIZE_SMALL; size < WORKLOAD_SIZES; size++) {
            const char *wanted = k->job->size;
            k->launches.count = 0;
            if (workload_fits(all[i], card_architecture(k->card)) && job_wants(k->job, all[i]->name) &&
                (!wanted || strcmp(wanted, workload_size_name(size)) == 0))
                run_one(k, all[i], size);
        }
}

static bool check(const struct job *job)
{
    bool size = job->size == NULL;
    for (enum workload_size i = SIZE_SMALL; i < WORKLOAD_SIZES; i++)
        size = size || strcmp(job->size, workload_size_name(i)) == 0;
    if (!size)
        fprintf(stderr, "validate-gpu: --size %s: sizes are small, medium and full\n", job->size);
    if (job->repeat > LAUNCHES_REPEATS)
        fprintf(stderr, "validate-gpu: --repeat %u: at most %d\n", job->repeat, LAUNCHES_REPEATS);
    bool ok = size && job->repeat <= LAUNCHES_REPEATS;
    for (unsigned i = 0; i < job->names; i++)
        ok = find(job->name[i]) && ok;
    return ok;
}

int job_kernels(const struct job *job)
{
    struct card card;
    struct kernels k = {.job = job, .card = &card};
    k.launches.repeat = job->once ? 0 : job->repeat ? job->repeat : REPEATS;
    k.launches.warm = job->warm;
    if (job->list)
        return list();
    if (!check(job))
        return JOB_USAGE;
    if (!job_open(job, &card, !job->once))
        return JOB_FAILED;
    job_source(&card, k.source, sizeof k.source);
    k.csv = job_output(job, &card, job->csv, job->once ? HEADING : TIMED_HEADING);
    k.rows = job_output(job, &card, job->rows, JOB_ROWS_HEADING);
    bool ok = (k.csv || !job->csv) && (k.rows || !job->rows);
    if (ok)
        run_all(&k);
    ok = job_close(k.csv, job->csv) && ok;
    ok = job_close(k.rows, job->rows) && ok;
    card_close(&card);
    if (k.failed)
        fprintf(stderr, "validate-gpu: %u runs failed\n", k.failed);
    return ok && k.failed == 0 ? JOB_GOOD : JOB_FAILED;
}
