/* Register file of a sub-core: two banks (register number modulo 2), the read window that ALLOCATE reserves, the
 * register-file cache, and the write ports.
 *
 *   issue t -> CONTROL t+1 -> ALLOCATE a >= t+2 -> reads in a+1 .. a+3 -> execution from a+4
 *
 * Source: MICRO 2025 paper, register file, register-file cache and result queue. Reservations are stamped with their
 * cycle, so nothing has to be cleared as time passes. */
#ifndef SUBCORE_SM_REGISTER_FILE_H
#define SUBCORE_SM_REGISTER_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "probe/counters.h"
#include "sm/code.h"

enum { RF_BANKS = 2, RF_PORTS = 2, RF_READ_SPAN = 16, RF_WRITE_SPAN = 256, RFC_POSITIONS = 3 };

struct rfc_slot {
    uint8_t warp;
    uint8_t reg;
    bool valid;
};

struct register_file {
    uint64_t read[RF_BANKS][RF_PORTS][RF_READ_SPAN]; /* [c % span] == c: the port is taken in cycle c */
    uint64_t write[RF_BANKS][RF_WRITE_SPAN];
    struct rfc_slot rfc[RF_BANKS][RFC_POSITIONS];
    uint64_t allocate_free; /* first cycle at which ALLOCATE can take an instruction */
};

void register_file_init(struct register_file *rf);

/* Passes a fixed-latency instruction that issued at `issue` through ALLOCATE: reserves its reads, updates the
 * register-file cache. Returns the cycle at which it leaves ALLOCATE; *entered receives the cycle at which it left
 * CONTROL. */
uint64_t register_file_allocate(struct register_file *rf, const struct config_core *config, const struct code *code,
                                uint8_t warp, uint64_t issue, uint64_t *entered, struct sm_counters *n);

/* Result of a fixed-latency instruction: takes the first free write slot from `natural` on, for each bank that it
 * writes. Never delays a consumer of fixed latency, which reads the bypass. */
void register_file_write_fixed(struct register_file *rf, uint8_t first, uint8_t words, uint64_t natural);

/* Last cycle of the write of a loaded value whose data would be complete at `natural`: a fixed-latency result in the
 * same bank and cycle goes first. */
uint64_t register_file_write_load(const struct register_file *rf, uint8_t first, uint8_t words, uint64_t natural);

#endif
