/* Callbacks of the C API: each instruction and each access, once. */
#include "tests/api/rig.h"

struct seen {
    const struct rig *rig;
    uint64_t issues, threads, loads, stores, constants, sms;
    uint64_t last_cycle[256]; /* of each SM */
    bool touched[3][N];       /* a, b, c */
    bool wrong;
};

static void count_issue(void *self, const struct subcore_issue *issue)
{
    struct seen *s = self;
    s->issues++;
    s->threads += (uint64_t)__builtin_popcount(issue->lanes);
    s->wrong |= issue->cta >= 8 || issue->warp >= 4 || issue->pc % 16 || issue->sm >= 84;
    s->wrong |= issue->cycle < s->last_cycle[issue->sm];
    s->last_cycle[issue->sm] = issue->cycle;
    s->wrong |= issue->kernel != s->rig->kernel;
}

static void touch(struct seen *s, const struct subcore_access *access, unsigned lane)
{
    const uint64_t base[] = {s->rig->a, s->rig->b, s->rig->c};
    for (unsigned i = 0; i < 3; i++) {
        uint64_t index = (access->address[lane] - base[i]) / 4;
        if (access->address[lane] < base[i] || index >= N)
            continue;
        s->wrong |= s->touched[i][index] || (i == 2) != (access->kind == SUBCORE_STORE);
        s->wrong |= index / 128 != access->issue.cta || index % 128 / 32 != access->issue.warp || index % 32 != lane;
        s->touched[i][index] = true;
    }
}

static void count_access(void *self, const struct subcore_access *access)
{
    struct seen *s = self;
    if (access->space == SUBCORE_CONSTANT) {
        s->constants++;
        return;
    }
    s->wrong |= access->space != SUBCORE_GLOBAL || access->bytes != 4;
    s->loads += access->kind == SUBCORE_LOAD;
    s->stores += access->kind == SUBCORE_STORE;
    char text[100];
    s->wrong |= subcore_sass(access->issue.kernel, access->issue.pc, text, sizeof text) == 0 ||
                !strstr(text, access->kind == SUBCORE_STORE ? "STG" : "LDG");
    for (unsigned lane = 0; lane < 32; lane++)
        if (access->lanes >> lane & 1)
            touch(s, access, lane);
}

static void each_instruction_and_each_access_is_told_once(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 3; round++) { /* functional, detailed, detailed with threads */
        struct rig r;
        struct subcore_statistics s;
        static struct seen seen;
        memset(&seen, 0, sizeof seen);
        seen.rig = &r;
        rig_begin(&r, "rtx-a6000", round == 2 ? 4 : 1);
        const struct subcore_watch watch = {&seen, count_issue, count_access};
        r.launch.functional = round == 0;
        r.launch.watch = &watch;
        assert_true(subcore_run(r.gpu, &r.launch, &s, &r.error));
        rig_check(&r, N);
        assert_false(seen.wrong);
        assert_int_equal(seen.issues, s.warp_instructions);
        assert_int_equal(seen.threads, s.thread_instructions);
        assert_int_equal(seen.loads, 2 * 32); /* 32 warps, of which the last has 8 threads inside */
        assert_int_equal(seen.stores, 32);
        for (unsigned i = 0; i < 3; i++)
            for (unsigned k = 0; k < N; k++)
                assert_true(seen.touched[i][k]);
        rig_end(&r);
    }
}

static void a_watched_launch_takes_the_same_cycles(void **state)
{
    (void)state;
    struct rig r;
    struct subcore_statistics alone, watched;
    static struct seen seen;
    rig_begin(&r, "rtx-a6000", 1);
    seen.rig = &r;
    const struct subcore_watch watch = {&seen, NULL, count_access}, nothing = {0};
    r.launch.functional = false;
    assert_true(subcore_run(r.gpu, &r.launch, &alone, &r.error));
    r.launch.watch = &watch;
    assert_true(subcore_run(r.gpu, &r.launch, &watched, &r.error));
    assert_int_equal(watched.cycles, alone.cycles);
    assert_int_equal(seen.issues, 0);
    assert_int_equal(seen.stores, 32);
    r.launch.watch = &nothing;
    assert_true(subcore_run(r.gpu, &r.launch, &watched, &r.error));
    assert_int_equal(watched.cycles, alone.cycles);
    rig_end(&r);
}

UNIT_TESTS(UNIT(each_instruction_and_each_access_is_told_once), UNIT(a_watched_launch_takes_the_same_cycles))
