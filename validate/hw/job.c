#include "job.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"

/* ---- command line ------------------------------------------------------------------------------------------------ */

struct option {
    const char *name;
    const char **text; /* one of these three */
    bool *flag;
    unsigned *number;
};

static bool usage(const char *what, const char *word)
{
    fprintf(stderr, "validate-gpu: %s%s; see validate-gpu help\n", what, word);
    return false;
}

static bool read_number(const char *text, unsigned *out)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end || value > 100000)
        return false;
    *out = (unsigned)value;
    return true;
}

static bool add_note(struct job *job, const char *text)
{
    if (job->notes == JOB_NOTES)
        return usage("too many of --note ", text);
    job->note[job->notes++] = text;
    return true;
}

/* One option with its value; `*at` moves past it. */
static bool read_option(struct job *job, int argc, char **argv, int *at)
{
    const char *word = argv[*at] + 2, *value = *at + 1 < argc ? argv[*at + 1] : NULL;
    const char *clock = NULL;
    const struct option options[] = {
        {"gpu", &job->gpu, NULL, NULL},           {"folder", &job->folder, NULL, NULL},
        {"rows", &job->rows, NULL, NULL},         {"csv", &job->csv, NULL, NULL},
        {"size", &job->size, NULL, NULL},         {"clock", &clock, NULL, NULL},
        {"device", NULL, NULL, &job->device},     {"repeat", NULL, NULL, &job->repeat},
        {"once", NULL, &job->once, NULL},         {"quick", NULL, &job->quick, NULL},
        {"append", NULL, &job->append, NULL},     {"warm", NULL, &job->warm, NULL},
        {"list", NULL, &job->list, NULL},         {"toml", NULL, &job->toml, NULL},
        {"patience", NULL, NULL, &job->patience},
    };
    if (strcmp(word, "note") == 0 && value)
        return add_note(job, argv[++*at]);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const struct option *o = &options[i];
        if (strcmp(o->name, word) != 0)
            continue;
        if (o->flag)
            return *o->flag = true;
        if (!value)
            return usage("a value is missing behind ", argv[*at]);
        if (o->text)
            *o->text = value;
        else if (!read_number(value, o->number))
            return usage("not a number: ", value);
        ++*at;
        if (clock && (job->clock = strtod(clock, NULL)) <= 0)
            return usage("not a clock in MHz: ", clock);
        return true;
    }
    return usage("no such option: ", argv[*at]);
}

bool job_read(struct job *job, int argc, char **argv)
{
    *job = (struct job){.command = argc > 1 ? argv[1] : "help", .argument = (const char *const *)argv};
    job->arguments = (unsigned)argc;
    int words = 2;
    for (int i = 2; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) != 0)
            argv[words++] = argv[i];
        else if (!read_option(job, argc, argv, &i))
            return false;
    }
    job->name = (const char *const *)argv + 2;
    job->names = words > 2 ? (unsigned)(words - 2) : 0;
    return true;
}

bool job_wants(const struct job *job, const char *name)
{
    for (unsigned i = 0; i < job->names; i++)
        if (strcmp(job->name[i], name) == 0)
            return true;
    return job->names == 0;
}

bool job_open(const struct job *job, struct card *card, bool clock)
{
    if (!card_open(card, (int)job->device, job->folder)) {
        fprintf(stderr, "validate-gpu: %s\n", card->error);
        card_close(card);
        return false;
    }
    if (job->gpu)
        snprintf(card->name, sizeof card->name, "%s", job->gpu);
    double measured = job->clock;
    if (clock && measured <= 0 && !clock_measure(card, &measured))
        fprintf(stderr, "validate-gpu: the clock cannot be measured, the highest one counts: %s\n", card->error);
    if (measured > 0) {
        card->clock = measured;
        card->clock_is_real = true;
    }
    return true;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void today(char text[16])
{
    time_t now = time(NULL);
    struct tm date;
    if (!gmtime_r(&now, &date) || strftime(text, 16, "%Y-%m-%d", &date) == 0)
        text[0] = '\0';
}

void job_provenance(const struct job *job, struct card *card, FILE *out)
{
    char date[16];
    today(date);
    fprintf(out, "# validate-gpu, %s (UTC)\n# command:", date);
    for (unsigned i = 0; i < job->arguments; i++)
        fprintf(out, " %s", job->argument[i]);
    fputc('\n', out);
    if (card) {
        fprintf(out, "# GPU: %s, compute capability %d.%d, %d SMs, ECC %s\n", card->product, card->major, card->minor,
                card_attribute(card, ATTRIBUTE_SMS), card_attribute(card, ATTRIBUTE_ECC) ? "on" : "off");
        fprintf(out, "# driver: CUDA %d.%d\n", card->version / 1000, card->version % 1000 / 10);
        fprintf(out, "# clock of the SMs: %.0f MHz, %s; of the memory: %.0f MHz at most\n", card->clock,
                card->clock_is_real ? "as measured or given" : "at most",
                card_attribute(card, ATTRIBUTE_MEMORY_CLOCK) / 1e3);
    }
    for (unsigned i = 0; i < job->notes; i++)
        fprintf(out, "# %s\n", job->note[i]);
}

FILE *job_output(const struct job *job, struct card *card, const char *path, const char *heading)
{
    if (!path)
        return NULL;
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, job->append ? "a" : "w");
    if (!file) {
        fprintf(stderr, "validate-gpu: %s: cannot be written\n", path);
        return NULL;
    }
    bool fresh = file == stdout || !job->append || (fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0);
    if (fresh) {
        job_provenance(job, card, file);
        fprintf(file, "%s\n", heading);
    }
    return file;
}

FILE *job_text(const struct job *job)
{
    bool taken = (job->rows && strcmp(job->rows, "-") == 0) || (job->csv && strcmp(job->csv, "-") == 0);
    return taken ? stderr : stdout;
}

bool job_close(FILE *file, const char *path)
{
    if (!file)
        return path == NULL;
    bool ok = fflush(file) == 0 && !ferror(file);
    if (file != stdout)
        ok = fclose(file) == 0 && ok;
    if (!ok)
        fprintf(stderr, "validate-gpu: %s: cannot be written\n", path);
    return ok;
}

void job_row(FILE *out, const char *gpu, const char *quantity, double value, const char *unit, const char *source)
{
    fprintf(out, "%s,%s,%.10g,%.10g,%s,,\"%s\",\n", gpu, quantity, value, value, unit, source);
    fflush(out);
}

void job_source(const struct card *card, char *text, size_t size)
{
    char date[16];
    today(date);
    snprintf(text, size, "%s, CUDA %d.%d, %.0f MHz, %s", card->product, card->version / 1000, card->version % 1000 / 10,
             card->clock, date);
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double job_median(double *value, unsigned count)
{
    qsort(value, count, sizeof *value, order);
    return count % 2 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}
