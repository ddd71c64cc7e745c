/* The form that a line of version 6 has for our own reader, behind all that Accel-Sim reads: the word `Subcore`, then
 * words KEY=VALUE, each at most once.
 *
 *   waits=HEX      SYNCS.PHASECHK: lanes whose phase had ended, or that the warp may wait for (ISSUED_WAITS)
 *   path=HEX       lanes on the path, if they are others than those of the mask
 *   none=HEX       lanes that access nothing, or are elsewhere (zero_fill of struct issued)
 *   sleep=NUMBER   cycles that the warp rests
 *   policy=HEX     of the access to global memory
 *   transfer=HEX,HEX,...  the fields of the transfer (trace/transfer.h); fields behind the last are 0, as empty ones */
#ifndef SUBCORE_ACCELSIM_ADDED_H
#define SUBCORE_ACCELSIM_ADDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/issued.h"

/* Bytes that added_write writes at most. */
enum { ADDED_MOST = 1024 };

struct added {
    bool some, has_path, has_waits, has_none, has_sleep, has_policy, has_transfer;
    uint32_t path, waits, none;
    uint16_t sleep;
    uint64_t policy;
    struct transfer transfer;
};

/* Writes " Subcore KEY=VALUE.." without an end, or nothing if there is nothing to say. Returns the bytes. */
size_t added_write(char out[static ADDED_MOST], const struct added *added);

/* Reads the words behind `Subcore`, up to '\n'. Returns NULL, or the error. */
const char *added_read(const char *at, struct added *added);

#endif
