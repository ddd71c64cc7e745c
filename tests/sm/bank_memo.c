/* Patterns of lanes that a memory unit remembers. */
#include "sm/memory/bank_memo.h"
#include "base/hash.h"
#include "tests/unit.h"

enum { PATTERNS = 40, ACCESSES = 20000, SHARED = 1 << 16 };

static uint32_t chance(uint64_t *state, uint32_t of) { return (uint32_t)(hash_mix((*state)++) >> 32) % of; }

struct pattern {
    uint32_t distance[32], lanes;
    unsigned bytes;
};

/* Rows, columns, broadcasts, and lanes without order. */
static struct pattern some_pattern(uint64_t *state)
{
    static const uint32_t masks[] = {UINT32_MAX, 0xffff, 0x80000001, 0x00f0ff00, 1, 0};
    static const uint32_t strides[] = {0, 1, 2, 3, 4, 8, 32, 33};
    struct pattern p = {.lanes = masks[chance(state, 6)], .bytes = 1u << chance(state, 5)};
    uint32_t stride = strides[chance(state, 8)] * p.bytes;
    bool ordered = chance(state, 3) > 0;
    for (unsigned lane = 0; lane < 32; lane++)
        p.distance[lane] = ordered ? lane * stride : chance(state, 512) * p.bytes;
    return p;
}

static void check_model(enum config_shared_model name)
{
    const struct shared_model *model = shared_model(name);
    struct bank_memo memo = {.pattern = {{.lanes = 0}}};
    struct pattern pattern[PATTERNS];
    uint64_t state = 1;
    for (unsigned i = 0; i < PATTERNS; i++)
        pattern[i] = some_pattern(&state);
    for (unsigned i = 0; i < ACCESSES; i++) {
        const struct pattern *p = &pattern[chance(&state, PATTERNS)];
        uint32_t offset[32], base = chance(&state, SHARED / p->bytes) * p->bytes;
        enum bank_use use = (enum bank_use)chance(&state, BANK_EACH + 1);
        for (unsigned lane = 0; lane < 32; lane++)
            offset[lane] = base + p->distance[lane];
        struct bank_passes want = model->passes(offset, p->lanes, p->bytes, use);
        struct bank_passes got = bank_memo_passes(&memo, model, offset, p->lanes, p->bytes, use);
        assert_int_equal(got.groups, want.groups);
        assert_int_equal(got.passes, want.passes);
    }
}

static void a_pattern_takes_the_passes_of_the_model_wherever_it_lies_and_whatever_came_before(void **state)
{
    (void)state;
    check_model(CONFIG_SHARED_MODEL_VOLTA);
    check_model(CONFIG_SHARED_MODEL_PASCAL);
}

/* Two bytes lie in one word or in two of one bank, by where the first begins: the distances are the same. */
static void bytes_that_begin_elsewhere_in_a_word_are_another_pattern(void **state)
{
    (void)state;
    const struct shared_model *model = shared_model(CONFIG_SHARED_MODEL_VOLTA);
    struct bank_memo memo = {.pattern = {{.lanes = 0}}};
    uint32_t offset[32];
    for (uint32_t begin = 0; begin < 4; begin++) {
        for (uint32_t lane = 0; lane < 32; lane++)
            offset[lane] = begin + (lane & 1) * 125;
        unsigned passes = bank_memo_passes(&memo, model, offset, UINT32_MAX, 1, BANK_LOAD).passes;
        assert_int_equal(passes, begin == 3 ? 2 : 1);
    }
}

/* The memo is asked, not the model, when it knows a pattern. */
static struct bank_passes never(const uint32_t offset[32], uint32_t lanes, unsigned bytes, enum bank_use use)
{
    (void)offset, (void)lanes, (void)bytes, (void)use;
    fail();
    return (struct bank_passes){0, 0};
}

static void a_known_pattern_is_not_counted_again(void **state)
{
    (void)state;
    const struct shared_model asked_never = {.passes = never};
    struct bank_memo memo = {.pattern = {{.lanes = 0}}};
    uint32_t offset[32];
    for (uint32_t base = 0; base < 4096; base += 16) {
        for (uint32_t lane = 0; lane < 32; lane++)
            offset[lane] = base + lane * 256;
        const struct shared_model *model = base ? &asked_never : shared_model(CONFIG_SHARED_MODEL_VOLTA);
        assert_int_equal(bank_memo_passes(&memo, model, offset, UINT32_MAX, 4, BANK_STORE).passes, 32);
    }
}

UNIT_TESTS(UNIT(a_pattern_takes_the_passes_of_the_model_wherever_it_lies_and_whatever_came_before),
           UNIT(bytes_that_begin_elsewhere_in_a_word_are_another_pattern), UNIT(a_known_pattern_is_not_counted_again))
