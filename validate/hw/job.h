/* The part that the commands of the program share: their options, and the files that they write. */
#ifndef SUBCORE_VALIDATE_HW_JOB_H
#define SUBCORE_VALIDATE_HW_JOB_H

#include <stdio.h>

#include "card.h"

enum { JOB_NOTES = 16 };

struct job {
    const char *command;
    const char *const *name; /* operands */
    unsigned names;
    const char *gpu, *folder, *rows, *csv, *size; /* NULL: not given */
    const char *note[JOB_NOTES];                  /* lines for the heads of all files */
    unsigned notes;
    unsigned device, repeat; /* repeat 0: as the command likes it */
    unsigned patience;       /* seconds that a kernel of answers may take (0: as the command likes it) */
    double clock;            /* MHz (0: measured) */
    bool once, quick, append, warm, list, toml;
    const char *const *argument; /* the whole command line */
    unsigned arguments;
};

enum { JOB_GOOD = 0, JOB_FAILED = 1, JOB_USAGE = 2 };

/* Reads the command line. False: a message is on standard error. */
bool job_read(struct job *job, int argc, char **argv);

/* Whether the operands name it, or there are none. */
bool job_wants(const struct job *job, const char *name);

/* Opens the GPU, gives it the name of --gpu, and measures its clock when `clock`. False: a message is on standard
 * error. */
bool job_open(const struct job *job, struct card *card, bool clock);

/* A file that begins with '#' lines of where its numbers come from, and with `heading`. With --append only when it is
 * new. NULL when `path` is, or with a message when it cannot be written. "-" is standard output. */
FILE *job_output(const struct job *job, struct card *card, const char *path, const char *heading);
bool job_close(FILE *file, const char *path);
/* Where text for people goes: standard output, unless a file is there. */
FILE *job_text(const struct job *job);
/* The '#' lines; `card` NULL: nothing was asked of a GPU. */
void job_provenance(const struct job *job, struct card *card, FILE *out);

#define JOB_ROWS_HEADING "gpu,quantity,low,high,unit,tolerance,source,open"
/* One row in the format of validate/data: a number to compare with, not to judge by. */
void job_row(FILE *out, const char *gpu, const char *quantity, double value, const char *unit, const char *source);
/* "NVIDIA H200, CUDA 13.0, 1980 MHz, 2026-11-22" */
void job_source(const struct card *card, char *text, size_t size);

/* The middle one, or the mean of the two in the middle; sorts them. */
double job_median(double *value, unsigned count);

/* The commands. Each gives an exit status. */
int job_info(const struct job *job);
int job_micro(const struct job *job);
int job_kernels(const struct job *job);
int job_collect(const struct job *job);
int job_experiments(const struct job *job);
int job_answers(const struct job *job);

#endif
