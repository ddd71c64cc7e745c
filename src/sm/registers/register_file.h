/* Register file of a sub-core: two banks (register number modulo 2), the read window that ALLOCATE reserves, the reads
 * of queued instructions in free cycles, and the write ports.
 *
 *   issue t -> CONTROL t+1 -> ALLOCATE a >= t+2 -> reads in a+1 .. a+3 -> execution from a+4
 *
 * Source: MICRO 2025 paper, register file and result queue. Operand collectors do not exist. */
#ifndef SUBCORE_SM_REGISTER_FILE_H
#define SUBCORE_SM_REGISTER_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "probe/counters.h"
#include "sm/code.h"
#include "sm/registers/rfc.h"

enum { RF_BANKS = 2, RF_PORTS = 2, RF_READ_SPAN = 64, RF_WRITE_SPAN = 256 };

/* Cycles; CONTROL lies between (MICRO 2025 paper). */
enum { ISSUE_TO_ALLOCATE = 2 };

/* A port of 1024 bits moves a whole warp register in a cycle. */
struct read_ports {
    uint64_t taken[RF_BANKS][RF_PORTS]; /* bit i: cycle end - span + i */
    uint64_t end;                       /* nothing is reserved from this cycle on */
};

struct write_ports {
    uint32_t cycle[RF_WRITE_SPAN]; /* [c % span]: c / span + 1, then a bit for each bank that is written */
};

/* All bytes 0: empty. */
struct register_file {
    struct read_ports read;
    struct write_ports write;
    struct rfc rfc;
    uint64_t allocate_free;        /* first cycle at which ALLOCATE can take an instruction */
    uint64_t window_end[RF_BANKS]; /* first cycle behind the last read window that used the bank */
};

/* Passes a fixed-latency instruction that issued at `issue` through ALLOCATE: reserves its reads, updates the
 * register-file cache. Returns the cycle at which it leaves ALLOCATE; *entered receives the cycle at which it left
 * CONTROL. */
uint64_t register_file_allocate(struct register_file *rf, const struct config_core *config, const struct code *code,
                                uint8_t slot, uint64_t issue, uint64_t *entered, struct sm_counters *n);

/* Reads of an instruction that stands at the head of a queue since `since` and has nothing else to wait for: they take
 * ports that ALLOCATE left free. Returns true if all have been made before `now`. Then these cycles are taken. Every
 * later issue reserves cycles from now + 3 on, so that the answer no longer changes. */
bool register_file_read_queued(struct register_file *rf, const struct config_core *config, const struct code *code,
                               uint64_t since, uint64_t now, struct sm_counters *n);

/* The write port of each bank in the mask (bit k: bank k) is taken in `cycle`. */
static inline void write_ports_take(struct write_ports *ports, unsigned banks, uint64_t cycle)
{
    uint32_t *at = &ports->cycle[cycle % RF_WRITE_SPAN], stamp = (uint32_t)(cycle / RF_WRITE_SPAN + 1) << RF_BANKS;
    *at = (*at >> RF_BANKS << RF_BANKS == stamp ? *at : stamp) | banks;
}

/* The banks of a result's last register: a wide one comes register after register. */
static inline unsigned write_bank(const struct code *code)
{
    return code->write_words ? 1u << (code->write_first + code->write_words - 1u) % RF_BANKS : 0;
}

static inline bool write_ports_free(const struct write_ports *ports, unsigned banks, uint64_t cycle)
{
    uint32_t at = ports->cycle[cycle % RF_WRITE_SPAN];
    return at >> RF_BANKS != (uint32_t)(cycle / RF_WRITE_SPAN + 1) || !(at & banks);
}

#endif
