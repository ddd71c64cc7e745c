/* The answer of an operation that can fail on bad input: a code, and a sentence that names file, place and reason,
 * filled in where the fact is known and handed up unchanged. Bugs of ours are assertions instead. */
#ifndef SUBCORE_BASE_STATUS_H
#define SUBCORE_BASE_STATUS_H

#include <stdbool.h>

enum status_code {
    STATUS_OK = 0,
    STATUS_USAGE,       /* wrong arguments on the command line or to a public function */
    STATUS_IO,          /* a file cannot be read or written */
    STATUS_FORMAT,      /* a file is malformed */
    STATUS_CONFIG,      /* unknown key, unit, range */
    STATUS_MEMORY,      /* the host or the simulated device is out of memory */
    STATUS_UNSUPPORTED, /* understood, but not simulated: an opcode without executor, an architecture */
    STATUS_FAULT,       /* the simulated kernel did something illegal */
    STATUS_DEADLOCK,    /* no warp can ever move again */
    STATUS_INTERRUPTED, /* stopped by the user */
    STATUS_CHECK,       /* a result is wrong */
    STATUS_DIFFERENT,   /* two things that were compared are not alike; no error */
    STATUS_HAZARD       /* control bits do not cover a dependence of the simulated kernel */
};

struct status {
    enum status_code code;
    char text[480]; /* empty when code is STATUS_OK */
};

/* Fills *status (the first error wins: a status that already holds one is left alone) and returns false, so that
 * a failing function can end with `return status_fail(status, STATUS_FORMAT, "%s: ...", path);`. */
bool status_fail(struct status *status, enum status_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
