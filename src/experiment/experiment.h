/* Experiments: small kernels that bracket instructions with clock reads, with the cycles that hardware shows.
 * docs/experiments.md describes their files, which are embedded in the binary.
 *
 *   experiment_read     a file: header, table of rows, code
 *   experiment_run      each row: code with the row's parameters, assembled, loaded, launched. The words that the
 *                       kernel stored are read back, and compared with the words that the row expects on this GPU */
#ifndef SUBCORE_EXPERIMENT_EXPERIMENT_H
#define SUBCORE_EXPERIMENT_EXPERIMENT_H

#include "config/config.h"
#include "experiment/expression.h"
#include "gpu/gpu.h"

enum {
    EXPERIMENT_WARPS = 32,
    EXPERIMENT_COLUMNS = 24,
    EXPERIMENT_MEASURES = 6,
    EXPERIMENT_STORES = 16,
    EXPERIMENT_TEXT = 512
};

enum column_kind {
    COLUMN_PARAMETER,
    COLUMN_EXPECTED, /* of a measure */
    COLUMN_OPEN      /* why the simulator is known to give something else (empty: it should not) */
};

struct experiment_column {
    enum column_kind kind;
    const char *name; /* of the parameter */
    bool hidden;      /* only the code needs it: a heading in parentheses */
    unsigned measure; /* EXPECTED: its number */
    const char *gpus; /* EXPECTED, OPEN: names with blanks between them */
};

struct experiment_measure {
    const char *name, *expression;
};

struct experiment {
    const char *name; /* of the file */
    const char *title, *source, *gpus, *about, *unit, *code;
    const char *warps;     /* expression: of the one CTA */
    const char *tolerance; /* "0", "1" or "2 %" */
    const char *hazards;   /* "strict": too early a consumer reads the old value; NULL */
    const char *sm;        /* expression on `arch`: which architectures the code is written for (NULL: all) */
    struct experiment_measure measure[EXPERIMENT_MEASURES];
    const char *store[EXPERIMENT_STORES]; /* names of the words that each warp stores */
    struct experiment_column column[EXPERIMENT_COLUMNS];
    unsigned measures, stores, columns, rows;
    const char **cell; /* [rows][columns] */
    char *text;        /* owned: the others point into it */
};

/* The kernel of a row, counted from 0. */
void experiment_kernel(char name[EXPERIMENT_TEXT], unsigned row);

size_t experiment_count(void);
const char *experiment_name(size_t index); /* in alphabetical order */
/* The status names file and line. */
bool experiment_read(struct experiment *e, const char *name, struct status *status);
bool experiment_parse(struct experiment *e, const char *name, const char *text, size_t size, struct status *status);
void experiment_free(struct experiment *e);

/* Whether `list`, names with blanks or commas between them, has `name`. */
bool experiment_lists(const char *list, const char *name);
static inline const char *experiment_cell(const struct experiment *e, unsigned row, unsigned column)
{
    return e->cell[row * e->columns + column];
}

enum verdict {
    VERDICT_NONE, /* nothing is expected on this GPU */
    VERDICT_OK,
    VERDICT_MISS,
    VERDICT_OPEN /* a miss that the file explains */
};

struct experiment_outcome {
    char expected[EXPERIMENT_TEXT], simulated[EXPERIMENT_TEXT]; /* expected: empty when nothing is */
    enum verdict verdict;
};

struct experiment_row {
    struct experiment_outcome outcome[EXPERIMENT_MEASURES];
    const char *open;     /* the row's COLUMN_OPEN, or empty */
    enum verdict verdict; /* the worst of its outcomes */
};

/* Stores of a row's warps in one run on hardware. */
struct experiment_record {
    const char *experiment;
    unsigned row, words; /* row: from 0 */
    uint32_t *word;      /* [words]: warp 0's, then warp 1's ... */
};

struct experiment_records {
    struct experiment_record *record;
    size_t count;
};

bool experiment_record_is(const struct experiment_record *record, const struct experiment *e, unsigned row);

/* The place of an experiment's run, and the reference. */
struct experiment_site {
    const struct config *config;
    const char *name; /* of the GPU: expectations go by it */
    struct gpu_options options;
    const struct experiment_records *hardware; /* the expectation (NULL: that of the file) */
};

struct experiment_run {
    const struct experiment *experiment;
    struct experiment_row *row; /* [rows]. Those that did not run are zero */
    unsigned from, to;          /* rows that ran */
    unsigned ok, missed, open, unjudged;
    uint8_t *cubin; /* with a kernel for each row that ran */
    size_t cubin_bytes;
    bool hardware; /* expectations are the hardware's results */
};

/* Rows [from, to) on one GPU. Returns false if the experiment could not be run. A miss is no failure. Free the run in
 * any case. */
bool experiment_run(struct experiment_run *run, const struct experiment *e, unsigned from, unsigned to,
                    const struct experiment_site *site, struct status *status);
void experiment_run_free(struct experiment_run *run);

#endif
