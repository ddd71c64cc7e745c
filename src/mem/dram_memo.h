/* A pseudo-channel's notes on waiting accesses, which save a search of all banks for each command: bits and orders of
 * banks, kept up to date by the event that changes them, and the commands that were found last.
 *
 * Each fact stays right until an event that the functions here are told of. Nothing here decides anything: the
 * commands are the same if all is forgotten before each of them. */
#ifndef SUBCORE_MEM_DRAM_MEMO_H
#define SUBCORE_MEM_DRAM_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/dram_order.h"
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

/* Sorts of commands: a bank is a candidate for at most one of each. */
enum dram_sort { DRAM_COLUMN, DRAM_ACTIVATION, DRAM_PRECHARGE, DRAM_SORTS };

#define DRAM_ALL_KNOWN ((1u << DRAM_SORTS) - 1)

struct dram_memo {
    struct dram_order columns[2];  /* banks with an access that the open row may serve, by the oldest such */
    uint64_t pending[2];           /* bits of banks: something waits, by direction */
    uint64_t hits[2];              /* of these: an access may be served from the open row */
    uint64_t open;                 /* a row is open */
    uint64_t idle;                 /* it is to be closed though nothing needs another row ... */
    uint64_t close_at[DRAM_BANKS]; /* ... from this clock on */
    enum dram_direction mode;      /* direction that is served */
    struct dram_first {
        uint64_t ck; /* UINT64_MAX: none */
        uint64_t rank;
        uint32_t bank;
    } first[DRAM_SORTS];      /* candidates */
    uint8_t known;            /* bits of sorts: that is right */
    struct dram_command next; /* command */
    uint64_t row_ck;          /* clock of the next row command; UINT64_MAX: none */
    bool planned;             /* both can be relied on */
};

/* Nothing waits, and no row is open. */
void dram_memo_reset(struct dram_memo *memo);

/* Brings the notes on bank `b` up to date, after an access has come or gone or a row was opened or closed. `close_at`
 * is the row policy's word on a row that nothing waits for, else DRAM_ROW_STAYS. */
void dram_memo_bank(struct dram_memo *memo, const struct dram_ranks *ranks, const struct dram_bank *bank, uint32_t b,
                    uint32_t row_cap, uint64_t close_at);

/* The same after ranks have changed. */
void dram_memo_rank(struct dram_memo *memo, const struct dram_ranks *ranks, const struct dram_bank *bank, uint32_t b,
                    uint32_t row_cap);

/* Returns the banks whose row is closed and for which something waits. */
static inline uint64_t dram_memo_closed(const struct dram_memo *memo)
{
    return memo->pending[memo->mode] & ~memo->open;
}

/* Returns the banks whose open row is in the way of an access, or is to be closed. */
static inline uint64_t dram_memo_unwanted(const struct dram_memo *memo)
{
    return (memo->open & memo->pending[memo->mode] & ~memo->hits[memo->mode]) | memo->idle;
}

/* Changes the direction that is served. */
void dram_memo_turn(struct dram_memo *memo, enum dram_direction mode);

/* Takes note that a command has been issued. */
void dram_memo_issued(struct dram_memo *memo, enum dram_op op);

#endif
