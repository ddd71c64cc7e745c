#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "validate/csv.h"

enum { REPEATS = 5, FIELDS = 6, DATA_BYTES = 1 << 20, MOST_WARPS = 32, MOST_WORDS = 1024, MANIFEST_BYTES = 1 << 20 };

#define MANIFEST_HEADING "experiment"

/* The contents of the folder that `subcore experiment --write` made, and where its kernels find memory. */
struct bench {
    const struct job *job;
    struct card *card;
    const char *folder;
    char loaded[CARD_PATH]; /* file of `module` */
    void *module;
    uint64_t out, data;
    FILE *csv;
    unsigned failed;
};

struct row {
    const char *experiment, *file, *kernel;
    unsigned row, warps, stores;
};

static bool read_row(struct row *row, char *const *field)
{
    *row = (struct row){.experiment = field[0], .file = field[2], .kernel = field[3]};
    row->row = (unsigned)strtoul(field[1], NULL, 10);
    row->warps = (unsigned)strtoul(field[4], NULL, 10);
    row->stores = (unsigned)strtoul(field[5], NULL, 10);
    return row->row > 0 && row->warps > 0 && row->warps <= MOST_WARPS && row->stores > 0 &&
           row->stores <= MOST_WORDS / MOST_WARPS && strchr(row->file, '/') == NULL;
}

static bool load(struct bench *b, const struct row *row)
{
    char path[CARD_PATH];
    snprintf(path, sizeof path, "%.3800s/%.200s", b->folder, row->file);
    if (b->module && strcmp(path, b->loaded) == 0)
        return true;
    if (b->module)
        b->card->driver.module_unload(b->module);
    snprintf(b->loaded, sizeof b->loaded, "%s", path);
    b->module = card_load(b->card, path);
    return b->module != NULL;
}

/* After a fault all is new. */
static bool ready(struct bench *b)
{
    if (b->card->broken) {
        b->module = NULL;
        b->out = b->data = 0;
        if (!card_renew(b->card))
            return false;
    }
    if (!b->out)
        b->out = card_alloc(b->card, MOST_WORDS * sizeof(uint32_t));
    if (!b->data)
        b->data = card_alloc(b->card, DATA_BYTES);
    return b->out && b->data;
}

static bool run_once(struct bench *b, const struct row *row, uint32_t word[MOST_WORDS])
{
    const uint64_t parameters[2] = {b->out, b->data};
    const struct card_launch launch = {
        .module = b->module,
        .kernel = row->kernel,
        .grid = {1, 1, 1},
        .block = {32 * row->warps, 1, 1},
        .parameters = parameters,
        .parameter_bytes = sizeof parameters,
    };
    const struct driver *d = &b->card->driver;
    return d->memory_set(b->out, 0, MOST_WORDS * sizeof *word) == 0 && d->memory_set(b->data, 0, DATA_BYTES) == 0 &&
           card_launch(b->card, &launch) && card_read(b->card, word, b->out, sizeof *word * row->warps * row->stores);
}

static void run_row(struct bench *b, const struct row *row)
{
    uint32_t word[MOST_WORDS];
    unsigned repeats = b->job->repeat ? b->job->repeat : REPEATS;
    b->card->error[0] = '\0';
    bool ok = ready(b) && load(b, row);
    for (unsigned r = 0; ok && r < repeats; r++) {
        ok = run_once(b, row, word);
        if (!ok)
            break;
        fprintf(b->csv, "%s,%u,%u,", row->experiment, row->row, r);
        for (unsigned i = 0; i < row->warps * row->stores; i++)
            fprintf(b->csv, "%s%lu", i ? " " : "", (unsigned long)word[i]);
        fputc('\n', b->csv);
    }
    fflush(b->csv);
    if (ok)
        return;
    fprintf(stderr, "validate-gpu: experiment %s, row %u: %s\n", row->experiment, row->row, b->card->error);
    b->failed++;
}

static char *read_manifest(const char *folder, char path[CARD_PATH])
{
    snprintf(path, CARD_PATH, "%.4000s/manifest.csv", folder);
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(MANIFEST_BYTES) : NULL;
    if (text)
        text[fread(text, 1, MANIFEST_BYTES - 1, file)] = '\0';
    if (file)
        fclose(file);
    if (!text)
        fprintf(stderr, "validate-gpu: %s: cannot be read; 'subcore experiment --write FOLDER --gpu NAME' makes one\n",
                path);
    return text;
}

/* Each row of the manifest that is wanted. NAMES behind the folder are experiments. */
static bool run_rows(struct bench *b, char *text, const char *path)
{
    struct csv csv = csv_begin(text);
    struct job wanted = *b->job;
    char *field[FIELDS];
    struct row row;
    bool headed = false;
    wanted.name++;
    wanted.names--;
    for (unsigned count; (count = csv_row(&csv, field, FIELDS)) != 0; headed = true) {
        bool good = count == FIELDS && (headed ? read_row(&row, field) : strcmp(field[0], MANIFEST_HEADING) == 0);
        if (!good) {
            fprintf(stderr, "validate-gpu: %s: line %u is not a row of an experiment\n", path, csv.line);
            return false;
        }
        if (headed && job_wants(&wanted, row.experiment))
            run_row(b, &row);
    }
    return true;
}

int job_experiments(const struct job *job)
{
    struct card card;
    char path[CARD_PATH];
    struct bench b = {.job = job, .card = &card};
    const char *out = job->csv ? job->csv : "-";
    if (job->names == 0) {
        fprintf(stderr, "validate-gpu: experiments FOLDER [NAME...] [--csv WORDS.csv]\n");
        return JOB_USAGE;
    }
    b.folder = job->name[0];
    char *text = read_manifest(b.folder, path);
    if (!text)
        return JOB_FAILED;
    bool ok = job_open(job, &card, false);
    b.csv = ok ? job_output(job, &card, out, "experiment,row,run,words") : NULL;
    ok = b.csv && run_rows(&b, text, path);
    ok = job_close(b.csv, out) && ok;
    free(text);
    card_close(&card);
    return ok && b.failed == 0 ? JOB_GOOD : JOB_FAILED;
}
