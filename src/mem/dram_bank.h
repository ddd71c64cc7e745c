/* A DRAM bank: the row that is open, the first clocks at which each command may come, and the accesses that wait for
 * it, in order of age, reads and writes apart. */
#ifndef SUBCORE_MEM_DRAM_BANK_H
#define SUBCORE_MEM_DRAM_BANK_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/dram_timing.h"

enum { DRAM_NONE = UINT16_MAX };
enum dram_direction { DRAM_READ, DRAM_WRITE };

/* An access that waits: sectors of one line. */
struct dram_entry {
    uint64_t line, row, age;
    uint32_t id;
    uint16_t older, newer; /* neighbours in the list of its bank and direction, or DRAM_NONE */
    uint8_t sectors, rest; /* of the line; of these, not yet asked for at the bank */
    uint8_t pseudo, bank;
    bool write;
};

struct dram_list {
    uint16_t oldest, newest;
    uint16_t hit; /* the oldest that wants the open row */
};

struct dram_bank {
    struct dram_list list[2];
    bool open, fresh, conflict; /* opened and not yet used; opened in place of another row */
    uint32_t passed;            /* accesses that went before an older one of another row since the row was opened */
    uint64_t row;               /* open, or the last that was */
    uint64_t next_act, next_pre, next_col[2];
};

void dram_bank_reset(struct dram_bank *bank);

/* Puts an entry at the end of its list, takes one out. */
void dram_bank_add(struct dram_bank *bank, struct dram_entry *pool, uint16_t index);
void dram_bank_remove(struct dram_bank *bank, struct dram_entry *pool, uint16_t index);

void dram_bank_activate(struct dram_bank *bank, const struct dram_entry *pool, const struct dram_timing *t, uint64_t ck,
                        uint64_t row);
void dram_bank_column(struct dram_bank *bank, const struct dram_timing *t, uint64_t ck, enum dram_direction direction);

/* `conflict`: for the sake of another row. */
void dram_bank_precharge(struct dram_bank *bank, const struct dram_timing *t, uint64_t ck, bool conflict);

#endif
