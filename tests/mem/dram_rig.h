/* One DRAM channel whose command clock is the SM clock, a log of its commands, and lines at chosen places. */
#ifndef SUBCORE_TESTS_MEM_DRAM_RIG_H
#define SUBCORE_TESTS_MEM_DRAM_RIG_H

#include "mem/dram_channel.h"
#include "tests/unit.h"

enum { LOG_MOST = 4096, DONE_MOST = 4096 };

struct dram_rig {
    struct config config;
    struct arena arena;
    struct dram_channel channel;
    const struct dram_timing *t;
    struct {
        uint32_t pseudo;
        struct dram_command command;
    } log[LOG_MOST];
    uint32_t logged;
    struct dram_done done[DONE_MOST];
    uint32_t finished;
};

static inline void dram_rig_log(void *self, uint32_t pseudo, const struct dram_command *command)
{
    struct dram_rig *rig = self;
    assert_true(rig->logged < LOG_MOST);
    rig->log[rig->logged].pseudo = pseudo;
    rig->log[rig->logged++].command = *command;
}

static inline void dram_rig_kind(struct config *config, const char *kind)
{
    char assignment[64];
    struct status status = {0};
    snprintf(assignment, sizeof assignment, "dram.kind=%s", kind);
    assert_true(config_set(config, assignment, &status));
}

/* Two bytes a clock and bit of the bus: a burst of 32 bytes takes two clocks of half a nanosecond. */
static inline struct dram_rig *dram_rig_new(const char *kind)
{
    struct dram_rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    config_defaults(&rig->config);
    struct config_dram *c = &rig->config.dram;
    bool stacked = kind[0] == 'H';
    rig->config.gpu.clock = 2000;
    dram_rig_kind(&rig->config, kind);
    c->channels = 1;
    c->bandwidth = stacked ? 64 : 32;
    c->latency = 0;
    c->row_bytes = 1024;
    c->banks = stacked ? 32 : 16;
    c->queue = c->write_queue = 64;
    c->write_high = 64;
    c->write_low = 0;
    c->row_cap = 1000;
    c->row_policy = CONFIG_DRAM_ROW_OPEN;
    c->refresh = CONFIG_REFRESH_OFF;
    return rig;
}

static inline void dram_rig_start(struct dram_rig *rig)
{
    assert_true(dram_channel_create(&rig->channel, &rig->config, &rig->arena));
    dram_channel_watch(&rig->channel, (struct dram_watch){rig, dram_rig_log});
    rig->t = &rig->channel.pseudo[0].rules.t;
}

static inline void dram_rig_free(struct dram_rig *rig)
{
    arena_free(&rig->arena);
    free(rig);
}

/* The `nth` line of a row in a bank of pseudo-channel 0. */
static inline uint64_t dram_rig_line(const struct dram_rig *rig, uint32_t bank, uint64_t row, uint32_t nth)
{
    for (uint64_t line = 0;; line++) {
        struct dram_place place = dram_map_place(&rig->channel.map, line);
        if (place.pseudo == 0 && place.bank == bank && place.row == row && nth-- == 0)
            return line;
    }
}

static inline void dram_rig_push(struct dram_rig *rig, uint64_t now, uint32_t bank, uint64_t row, uint32_t nth,
                                 bool write, uint32_t id)
{
    assert_true(dram_channel_room(&rig->channel, write));
    dram_channel_push(&rig->channel, now, dram_rig_line(rig, bank, row, nth), 1, write, id);
}

static inline void dram_rig_run(struct dram_rig *rig, uint64_t now)
{
    rig->finished += dram_channel_run(&rig->channel, now, rig->done + rig->finished, DONE_MOST - rig->finished);
}

/* The clock of the `nth` command with this sort. Fails if there is none. */
static inline uint64_t dram_rig_when(const struct dram_rig *rig, enum dram_op op, uint32_t nth)
{
    for (uint32_t i = 0; i < rig->logged; i++)
        if (rig->log[i].command.op == op && nth-- == 0)
            return rig->log[i].command.ck;
    fail_msg("no such command");
    return 0;
}

static inline uint32_t dram_rig_count(const struct dram_rig *rig, enum dram_op op)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rig->logged; i++)
        count += rig->log[i].command.op == op;
    return count;
}

/* When the data of a read came, by id. */
static inline uint64_t dram_rig_data(const struct dram_rig *rig, uint32_t id)
{
    for (uint32_t i = 0; i < rig->finished; i++)
        if (rig->done[i].id == id)
            return rig->done[i].when;
    fail_msg("no data");
    return 0;
}

static inline struct mem_counters dram_rig_counters(const struct dram_rig *rig)
{
    struct mem_counters n = {0};
    dram_channel_count(&rig->channel, &n);
    return n;
}

#endif
