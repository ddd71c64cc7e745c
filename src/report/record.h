/* Records of the kernels that a program launches: a file to which each launch appends one, and a line about it on
 * standard error. The libraries write them, `subcore exec` reads them. */
#ifndef SUBCORE_REPORT_RECORD_H
#define SUBCORE_REPORT_RECORD_H

#include <stdio.h>

#include "base/status.h"
#include "probe/result.h"

enum { RECORD_MAGIC = 0x43455253 /* the bytes SREC */, RECORD_VERSION = 3, RECORD_ERROR_NAME = 64 };

struct launch_record {
    uint32_t magic, version;
    uint32_t layout;        /* sizeof(struct launch_record): both sides were built from the same source */
    uint32_t bytes;         /* in the file: functional launches leave their counters out */
    uint64_t number;        /* of the launch in its process, from 0 */
    uint64_t kernel_number; /* among the launches of kernels with this name in its process, from 0 */
    uint64_t kernel_hash;   /* of the whole mangled name */
    uint64_t stream;        /* its id in the process */
    uint64_t scope;         /* its ranges (report/range.h) (0: none) */
    uint64_t order;         /* commands that the process had submitted before */
    double begin, end;      /* simulated seconds since the program's first use of the GPU */
    int32_t process;        /* id */
    int32_t error;          /* CUresult, of a replay a status code (0: the launch completed) */
    char error_name[RECORD_ERROR_NAME];
    char name[RESULT_NAME];      /* demangled, without parameters */
    struct kernel_result result; /* its `kernel` is the mangled name, perhaps cut */
};

/* ---- writing ----------------------------------------------------------------------------------------------------- */

struct recorder {
    const char *path; /* NULL: no file */
    bool quiet;       /* no lines */
    int file;         /* -1: not open yet */
    int error;        /* errno of the first record that could not be written: none is written any more (0: none) */
    bool thinned;     /* that some launches have no line was said */
    uint64_t launches;
    struct record_count *counts; /* launches of each kernel, a hash table */
    size_t kernels, room;
};

/* Facts that the launch's result does not have. */
struct launch_info {
    const char *kernel; /* mangled name */
    uint64_t stream;
    uint64_t scope, order;      /* as in the record */
    bool left_out;              /* it is counted, and has neither record nor line */
    double begin, end;          /* simulated seconds */
    int error;                  /* CUresult */
    const char *error_name;     /* "CUDA_ERROR_..."; may be NULL when error is 0 */
    struct launch_record *copy; /* becomes the record, also that of a launch that is left out (NULL: is not wanted) */
};

/* `path` is borrowed. */
void recorder_init(struct recorder *recorder, const char *path, bool quiet);
void recorder_close(struct recorder *recorder);

/* Launches of kernels with this name so far: the number that the next one gets. */
uint64_t record_number(const struct recorder *recorder, const char *kernel);
/* After a launch, complete or not: appends a record, and prints a line unless quiet, or record_has_line leaves it out.
 * The caller has taken its progress line away. Not for two threads at the same time. */
void record_launch(struct recorder *recorder, const struct launch_info *info, const struct kernel_result *result);

/* Tells whether launch `number`, from 0, of a kernel has a line: among the first hundred each, among the first thousand
 * every tenth, then every hundredth, and so on. */
bool record_has_line(uint64_t number);

/* The line, with its end: at most 120 columns. */
enum { RECORD_LINE = 256 };
void record_line(const struct launch_record *record, char line[static RECORD_LINE]);

/* " (N)", or nothing for an error that is no CUresult: its words are all that is known of it. */
const char *record_error_number(int error, const char *name, char text[static 16]);

/* ---- reading ----------------------------------------------------------------------------------------------------- */

struct record_reader {
    FILE *file;
    bool cut; /* the file ends inside a record, or holds something else: the records before are good */
};

/* A file that does not exist has no records. */
bool record_open(struct record_reader *reader, const char *path, struct status *status);
bool record_next(struct record_reader *reader, struct launch_record *record);
void record_close(struct record_reader *reader);

#endif
