/* Notes of a DRAM channel change no command, and a full channel names the cycle at which it has room. */
#include "mem/dram_channel.h"
#include "tests/unit.h"

enum { ACCESSES = 3000, READS = 16 };

/* A channel with random accesses: few rows, so that there are hits, conflicts and turns. */
struct traffic {
    struct config config;
    struct arena arena;
    struct dram_channel channel;
    uint32_t random, compared;
};

static const struct {
    const char *kind;
    enum config_refresh refresh;
    enum config_dram_pick pick;
    enum config_dram_row row;
} variants[] = {
    {"HBM2", CONFIG_REFRESH_PER_BANK, CONFIG_DRAM_PICK_FR_FCFS, CONFIG_DRAM_ROW_OPEN},
    {"HBM3e", CONFIG_REFRESH_OFF, CONFIG_DRAM_PICK_FR_FCFS, CONFIG_DRAM_ROW_CLOSED},
    {"GDDR6", CONFIG_REFRESH_ALL_BANK, CONFIG_DRAM_PICK_FR_FCFS, CONFIG_DRAM_ROW_ADAPTIVE},
    {"GDDR6X", CONFIG_REFRESH_ALL_BANK, CONFIG_DRAM_PICK_FCFS, CONFIG_DRAM_ROW_OPEN},
};

enum { VARIANTS = sizeof variants / sizeof *variants };

static uint32_t draw(struct traffic *t, uint32_t below)
{
    t->random ^= t->random << 13;
    t->random ^= t->random >> 17;
    t->random ^= t->random << 5;
    return t->random % below;
}

static struct traffic *traffic_new(unsigned variant)
{
    struct traffic *t = calloc(1, sizeof *t);
    struct status status = {0};
    char kind[64];
    assert_non_null(t);
    config_defaults(&t->config);
    snprintf(kind, sizeof kind, "dram.kind=%s", variants[variant].kind);
    assert_true(config_set(&t->config, kind, &status));
    t->config.dram.refresh = variants[variant].refresh;
    t->config.dram.pick = variants[variant].pick;
    t->config.dram.row_policy = variants[variant].row;
    t->config.dram.row_cap = 8;
    t->random = 7 + variant;
    assert_true(dram_channel_create(&t->channel, &t->config, &t->arena));
    return t;
}

static void traffic_free(struct traffic *t)
{
    arena_free(&t->arena);
    free(t);
}

static void push(struct traffic *t, uint64_t now, bool write)
{
    enum { LINES = 2048 };
    uint64_t line = draw(t, 4) != 0 ? draw(t, 64) : draw(t, LINES);
    dram_channel_push(&t->channel, now, line, (uint8_t)(1 + draw(t, 15)), write, 0);
}

static void search_again(void *self, uint32_t pseudo, const struct dram_command *command)
{
    struct traffic *t = self;
    struct dram_pseudo *pc = &t->channel.pseudo[pseudo];
    if (t->compared++ % 3 != 0) /* notes live for some commands */
        return;
    memset(pc->memo.columns, 0, sizeof pc->memo.columns);
    dram_pseudo_rank(pc);
    const struct dram_command *again = dram_pseudo_next(pc);
    assert_true(again->ck == command->ck && again->rank == command->rank);
    assert_int_equal(again->op, command->op);
    assert_int_equal(again->bank, command->bank);
    assert_true(again->row == command->row);
}

static void a_command_is_the_one_that_a_new_search_finds(void **state)
{
    (void)state;
    for (unsigned v = 0; v < VARIANTS; v++) {
        struct traffic *t = traffic_new(v);
        struct dram_done done[READS];
        dram_channel_watch(&t->channel, (struct dram_watch){t, search_again});
        uint64_t now = 0;
        for (unsigned i = 0; i < ACCESSES; i++) {
            bool write = draw(t, 3) == 0;
            now += draw(t, 8);
            for (; !dram_channel_room(&t->channel, write); now++)
                dram_channel_run(&t->channel, now, done, READS);
            push(t, now, write);
        }
        assert_in_range(t->compared, ACCESSES / 2, UINT32_MAX);
        traffic_free(t);
    }
}

/* Whether there is room at cycle `now`, after all that has come by then has been taken. */
static bool has_room(struct traffic *t, uint64_t now, bool write)
{
    struct dram_done done[READS];
    while (dram_channel_run(&t->channel, now, done, READS) == READS)
        continue;
    return dram_channel_room(&t->channel, write);
}

static uint64_t room_by_polling(struct traffic *t, uint64_t now, bool write)
{
    while (!has_room(t, now, write))
        now++;
    return now;
}

static uint64_t room_by_next(struct traffic *t, uint64_t now, bool write)
{
    while (!has_room(t, now, write)) {
        uint64_t next = dram_channel_next(&t->channel);
        assert_true(next > now && next != UINT64_MAX);
        now = next;
    }
    return now;
}

static void room_comes_at_a_cycle_that_next_names(void **state)
{
    (void)state;
    for (unsigned v = 0; v < VARIANTS; v++) {
        struct traffic *polled = traffic_new(v), *told = traffic_new(v);
        uint64_t now = 0, waits = 0;
        for (unsigned i = 0; i < ACCESSES; i++) {
            bool write = draw(polled, 3) == 0;
            assert_int_equal(draw(told, 3) == 0, write);
            uint64_t room = room_by_polling(polled, now, write);
            assert_true(room_by_next(told, now, write) == room);
            waits += room > now;
            now = room;
            push(polled, now, write);
            push(told, now, write);
        }
        assert_in_range(waits, ACCESSES / 8, UINT32_MAX);
        traffic_free(polled);
        traffic_free(told);
    }
}

UNIT_TESTS(UNIT(a_command_is_the_one_that_a_new_search_finds), UNIT(room_comes_at_a_cycle_that_next_names))
