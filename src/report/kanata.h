/* The instructions of one SM's warps as a log for Konata: each a row, with the cycles in which it was fetched, waited
 * in the instruction buffer, issued, was executed and wrote its result; on a second lane why its warp could not issue
 * it. */
#ifndef SUBCORE_REPORT_KANATA_H
#define SUBCORE_REPORT_KANATA_H

#include <stdio.h>

#include "base/status.h"
#include "isa/isa.h"
#include "probe/run_log.h"

struct kanata_code {
    void *self;
    /* Writes the instruction at `pc`, and returns its pipe. Nothing and the front end's where it is not known. */
    enum isa_pipe (*text)(void *self, uint32_t pc, char text[static ISA_TEXT]);
};

/* For this timed launch of the log. False, with status: no memory, or there is no instruction. */
bool kanata_write(const struct run_log *log, uint32_t launch, const struct kanata_code *code, FILE *out,
                  struct status *status);

#endif
