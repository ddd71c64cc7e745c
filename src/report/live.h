/* The kernels that run in a program's processes, for the process that started it: a small file of fixed size beside
 * the launch records, which all of them map. A killed process leaves its last state there. */
#ifndef SUBCORE_REPORT_LIVE_H
#define SUBCORE_REPORT_LIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "probe/result.h"

enum { LIVE_PROCESSES = 64, LIVE_TEXT = 400 };

struct live_place {
    atomic_int process; /* id (0: the place is free) */
    int record_error;   /* errno of the first launch record that could not be written (0: none) */
    uint64_t left_out;  /* launches that are in no range of --nvtx */
    bool running;       /* a kernel runs, and the rest is about it */
    bool spins;         /* its warps go round without a change, and were named */
    uint64_t ctas_done, ctas, cycle, instructions;
    char kernel[RESULT_NAME];
};

/* Makes the file of these records. It takes its room on the disk now. */
bool live_create(const char *records, struct status *status);

/* Takes a place for this process (NULL: there is no such file, or no place in it is free). */
struct live_place *live_join(const char *records);

/* Copies the places that processes have taken. Returns how many. */
size_t live_read(const char *records, struct live_place places[static LIVE_PROCESSES]);

/* "saxpy: 3 of 64 CTAs completed, cycle 12,345, 67,890 warp instructions" */
void live_text(const struct live_place *place, char text[static LIVE_TEXT]);

#endif
