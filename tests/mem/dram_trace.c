/* No command for a random access stream breaks a timing rule, and each access is served, for every standard,
 * refresh, row policy and pick. */
#include "base/embed.h"
#include "base/hash.h"
#include "port/message.h"
#include "tests/mem/dram_checker.h"
#include "tests/mem/dram_rig.h"

#include "mem/dram_channel.h"

enum { ACCESSES = 1000, RUN = 100, BATCH = 16 };

static struct arena arena;
static struct dram_channel channel;
static struct dram_checker rules[DRAM_PSEUDO];
static bool waiting[ACCESSES];

static void check(void *self, uint32_t pseudo, const struct dram_command *command)
{
    (void)self;
    dram_checker_take(&rules[pseudo], command);
}

static void take(uint64_t now, uint8_t sectors[])
{
    struct dram_done done[BATCH];
    uint64_t last = 0;
    uint32_t count = dram_channel_run(&channel, now, done, BATCH);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(done[i].id < ACCESSES && waiting[done[i].id]);
        assert_true(done[i].when <= now && done[i].when >= last);
        assert_int_equal(done[i].sectors, sectors[done[i].id]);
        waiting[done[i].id] = false;
        last = done[i].when;
    }
}

/* In runs of accesses: a stream, any line, two rows of a bank in turn, or a few lines again and again. */
static uint64_t line_of(uint64_t seed, uint32_t i)
{
    uint64_t h = hash_mix(seed + i);
    switch (hash_mix(seed + i / RUN) & 3) {
    case 0: return i;
    case 1: return h >> 44;
    case 2: return (h & 1) << 14 | (h >> 20 & 7) << 3;
    default: return h & 7;
    }
}

static void drive(const struct config *config, uint64_t seed)
{
    static uint8_t sectors[ACCESSES];
    uint64_t now = 0;
    assert_true(dram_channel_create(&channel, config, &arena));
    for (uint32_t p = 0; p < channel.pseudo[0].rules.t.pseudo; p++)
        dram_checker_init(&rules[p], &channel.pseudo[p]);
    dram_channel_watch(&channel, (struct dram_watch){NULL, check});
    for (uint32_t i = 0; i < ACCESSES; i++) {
        uint64_t h = hash_mix(seed ^ hash_mix(i));
        bool write = hash_mix(seed + i / RUN) % 7 > (h & 7);
        if ((h >> 8 & 63) == 0)
            now += h >> 16 & (i % RUN == 0 ? 0xffff : 0xff);
        while (!dram_channel_room(&channel, write)) {
            uint64_t next = dram_channel_next(&channel);
            assert_true(next != UINT64_MAX);
            now = next > now ? next : now;
            take(now, sectors);
        }
        sectors[i] = (uint8_t)((h >> 32) % 15 + 1);
        waiting[i] = !write;
        dram_channel_push(&channel, now, line_of(seed, i), sectors[i], write, i);
    }
    for (uint64_t next; (next = dram_channel_next(&channel)) != UINT64_MAX;)
        take(next, sectors);
    for (uint32_t i = 0; i < ACCESSES; i++)
        assert_false(waiting[i]);
    uint64_t refreshes = 0;
    for (uint32_t p = 0; p < channel.pseudo[0].rules.t.pseudo; p++)
        refreshes += rules[p].commands[DRAM_REFAB] + rules[p].commands[DRAM_REFPB];
    double ns = (double)now * 1e3 / config->gpu.clock;
    if (config->dram.refresh == CONFIG_REFRESH_OFF)
        assert_true(refreshes == 0);
    else /* no real part has less than one in 3.9 microseconds */
        assert_true(refreshes + 1 >= (uint64_t)(ns / 3900));
    arena_free(&arena);
}

static void no_command_comes_too_soon(void **state)
{
    (void)state;
    uint64_t seed = 1;
    size_t kinds;
    const struct embedded *standard = embedded_standards(&kinds);
    for (size_t kind = 0; kind < kinds; kind++)
        for (int refresh = CONFIG_REFRESH_OFF; refresh <= CONFIG_REFRESH_PER_BANK; refresh++)
            for (int policy = 0; policy < DRAM_ROW_POLICIES * DRAM_PICK_POLICIES; policy++) {
                struct config config;
                config_defaults(&config);
                uint64_t h = hash_mix(seed++);
                dram_rig_kind(&config, standard[kind].name);
                config.dram.refresh = (enum config_refresh)refresh;
                config.dram.row_policy = (enum config_dram_row)(policy % DRAM_ROW_POLICIES);
                config.dram.pick = (enum config_dram_pick)(policy / DRAM_ROW_POLICIES);
                config.dram.channels = 1;
                config.dram.bandwidth = 20.0 + (double)(h % 50);
                config.gpu.clock = 500.0 + (double)(h >> 8 & 2047);
                config.dram.banks = 1u << (h >> 20 & 3) << 3;
                config.dram.row_bytes = 1u << (10 + (h >> 24 & 1));
                config.dram.queue = 1 + (h >> 28 & 63);
                config.dram.write_queue = 1 + (h >> 36 & 63);
                config.dram.write_high = 1 + (h >> 44 & 63);
                config.dram.write_low = h >> 50 & 31;
                config.dram.row_cap = 1 + (h >> 56 & 15);
                drive(&config, h);
            }
}

/* The checker itself: traces that it must refuse. */
static void the_rules_know_distances(void **state)
{
    (void)state;
    struct config config;
    config_defaults(&config);
    config.dram.channels = 1;
    config.dram.bandwidth = 32;
    assert_true(dram_channel_create(&channel, &config, &arena));
    const struct dram_timing *t = &channel.pseudo[0].rules.t;
    dram_checker_init(&rules[0], &channel.pseudo[0]);
    const struct dram_command act = {.op = DRAM_ACT, .bank = 5}, rd = {.op = DRAM_RD, .bank = 5};
    const struct dram_command near = {.op = DRAM_RD, .bank = 1}, far = {.op = DRAM_RD, .bank = 2};
    const struct dram_command wr = {.op = DRAM_WR, .bank = 5}, pre = {.op = DRAM_PRE, .bank = 5};
    assert_int_equal(rules_distance(&rules[0], &act, &rd), t->tRCDRD);
    assert_int_equal(rules_distance(&rules[0], &act, &near), 0);
    assert_int_equal(rules_distance(&rules[0], &rd, &near), t->tCCD_L);
    assert_int_equal(rules_distance(&rules[0], &rd, &far), t->tCCD_S);
    assert_int_equal(rules_distance(&rules[0], &wr, &far), t->WL + 2 + t->tWTR_S);
    assert_int_equal(rules_distance(&rules[0], &wr, &pre), t->WL + 2 + t->tWR);
    assert_int_equal(rules_distance(&rules[0], &pre, &act), t->tRP);
    arena_free(&arena);
}

UNIT_TESTS(UNIT(the_rules_know_distances), UNIT(no_command_comes_too_soon))
