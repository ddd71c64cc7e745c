/* A pseudo-channel's notes on waiting accesses, which save a search of all banks for each command: bits of banks, kept
 * up to date by the event that changes them, and the commands that were found last.
 *
 * Each fact stays right until an event that the functions here are told of. Nothing here decides anything: the
 * commands are the same if all is forgotten before each of them. */
#ifndef SUBCORE_MEM_DRAM_MEMO_H
#define SUBCORE_MEM_DRAM_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/dram_policy.h"
#include "mem/dram_rules.h"

enum dram_op { DRAM_ACT, DRAM_PRE, DRAM_RD, DRAM_WR, DRAM_PREAB, DRAM_REFAB, DRAM_REFPB, DRAM_OPS };

struct dram_command {
    uint64_t ck; /* UINT64_MAX: none */
    enum dram_op op;
    uint32_t bank;
    uint64_t row;
    uint64_t rank; /* of the access that it is for; DRAM_REFRESH_RANK, or DRAM_IDLE_RANK of a row that nothing needs */
};

#define DRAM_REFRESH_RANK UINT64_C(0)
#define DRAM_IDLE_RANK (DRAM_RANK_MOST + 1)

struct dram_memo {
    uint64_t pending[2];           /* bits of banks: something waits, by direction */
    uint64_t hits[2];              /* of these: an access may be served from the open row */
    uint64_t open;                 /* a row is open */
    uint64_t idle;                 /* it is to be closed though nothing needs another row ... */
    uint64_t close_at[DRAM_BANKS]; /* ... from this clock on */
    enum dram_direction mode;      /* direction that is served */
    struct dram_known {
        uint64_t rank;        /* least of the accesses that may be served from an open row and do not wait for it */
        uint64_t from, until; /* clocks between which that is right; until is 0 when nothing is known */
        uint32_t bank;        /* of the access with that rank */
    } group[2][DRAM_BANKS];   /* by direction */
    struct dram_command row, column; /* the next of each sort */
    bool row_known, column_known;    /* false: to be found anew */
    bool planned;                    /* both can be relied on */
};

/* Nothing waits, and no row is open. */
void dram_memo_reset(struct dram_memo *memo);

/* Brings the bits of a bank up to date, after an access has come or gone or a row was opened or closed. `close_at` is
 * the row policy's word on a row that nothing waits for. */
void dram_memo_bank(struct dram_memo *memo, const struct dram_rules *rules, uint32_t bank, uint32_t row_cap,
                    uint64_t close_at);

/* Takes note that another access of the bank, or none, is the first for its open row. */
static inline void dram_memo_served(struct dram_memo *memo, uint32_t group, enum dram_direction direction)
{
    memo->group[direction][group].until = 0;
}

/* Changes the direction that is served. */
void dram_memo_turn(struct dram_memo *memo, enum dram_direction mode);

/* Forgets the ranks of all accesses. */
void dram_memo_forget_ranks(struct dram_memo *memo);

/* Takes note that the command has been issued: the other sort's stays known, unless it cannot be. */
void dram_memo_issued(struct dram_memo *memo, const struct dram_command *command, bool one_bank_refresh);

#endif
