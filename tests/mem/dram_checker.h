/* Checks a trace of DRAM commands against the timing rules, pair by pair, without knowing how it came about. */
#ifndef SUBCORE_TESTS_MEM_DRAM_CHECKER_H
#define SUBCORE_TESTS_MEM_DRAM_CHECKER_H

#include "mem/dram_pseudo.h"
#include "tests/unit.h"

enum { RULES_HISTORY = 4096, RULES_CLOSED = -1 };

struct dram_checker {
    const struct dram_timing *t;
    uint32_t banks, groups;
    struct dram_command past[RULES_HISTORY]; /* ring */
    uint64_t count, commands[DRAM_OPS];
    int64_t row[DRAM_BANKS];
};

static inline void dram_checker_init(struct dram_checker *rules, const struct dram_pseudo *pc)
{
    memset(rules, 0, sizeof *rules);
    rules->t = &pc->rules.t;
    rules->banks = pc->rules.banks;
    rules->groups = pc->rules.groups;
    for (uint32_t b = 0; b < DRAM_BANKS; b++)
        rules->row[b] = RULES_CLOSED;
}

static inline bool rules_column(enum dram_op op) { return op == DRAM_RD || op == DRAM_WR; }

/* Clocks from `a` to `b` at least. */
static inline uint64_t rules_distance(const struct dram_checker *rules, const struct dram_command *a,
                                      const struct dram_command *b)
{
    const struct dram_timing *t = rules->t;
    bool bank = a->bank == b->bank, group = a->bank % rules->groups == b->bank % rules->groups;
    uint64_t written = t->WL + DRAM_BURST;
    switch (a->op) {
    case DRAM_ACT:
        if (b->op == DRAM_ACT)
            return bank ? t->tRAS + t->tRP : group ? t->tRRD_L : t->tRRD_S;
        if (b->op == DRAM_REFPB)
            return bank ? t->tRAS + t->tRP : t->tRRD_S;
        if (b->op == DRAM_REFAB)
            return t->tRAS + t->tRP;
        if (b->op == DRAM_PREAB || (b->op == DRAM_PRE && bank))
            return t->tRAS;
        if (b->op == DRAM_RD && bank)
            return t->tRCDRD;
        return b->op == DRAM_WR && bank ? t->tRCDWR : 0;
    case DRAM_PRE: return (bank && (b->op == DRAM_ACT || b->op == DRAM_REFPB)) || b->op == DRAM_REFAB ? t->tRP : 0;
    case DRAM_PREAB: return b->op == DRAM_ACT || b->op == DRAM_REFAB ? t->tRP : 0;
    case DRAM_RD:
        if (b->op == DRAM_RD)
            return group ? t->tCCD_L : t->tCCD_S;
        if (b->op == DRAM_WR) /* the data of the write begin after those of the read and a gap */
            return t->RL + DRAM_BURST + t->tRTW_gap > t->WL ? t->RL + DRAM_BURST + t->tRTW_gap - t->WL : 0;
        return b->op == DRAM_PREAB || (b->op == DRAM_PRE && bank) ? t->tRTP : 0;
    case DRAM_WR:
        if (b->op == DRAM_WR)
            return group ? t->tCCD_L : t->tCCD_S;
        if (b->op == DRAM_RD)
            return written + (group ? t->tWTR_L : t->tWTR_S);
        return b->op == DRAM_PREAB || (b->op == DRAM_PRE && bank) ? written + t->tWR : 0;
    case DRAM_REFAB: return rules_column(b->op) ? 0 : t->tRFCab;
    case DRAM_REFPB:
        if (b->op == DRAM_ACT || b->op == DRAM_REFPB)
            return bank ? t->tRFCpb : t->tRREFD;
        return 0;
    case DRAM_OPS: break;
    }
    return 0;
}

static inline void rules_states(struct dram_checker *rules, const struct dram_command *c)
{
    int64_t *row = &rules->row[c->bank];
    switch (c->op) {
    case DRAM_ACT:
        assert_true(*row == RULES_CLOSED);
        *row = (int64_t)c->row;
        break;
    case DRAM_PRE:
        assert_true(*row != RULES_CLOSED);
        *row = RULES_CLOSED;
        break;
    case DRAM_RD:
    case DRAM_WR: assert_true(*row != RULES_CLOSED); break;
    case DRAM_REFPB: assert_true(*row == RULES_CLOSED); break;
    case DRAM_PREAB:
    case DRAM_REFAB:
        for (uint32_t b = 0; b < rules->banks; b++) {
            assert_true(c->op == DRAM_PREAB || rules->row[b] == RULES_CLOSED);
            rules->row[b] = RULES_CLOSED;
        }
        break;
    case DRAM_OPS: break;
    }
}

static inline void dram_checker_take(struct dram_checker *rules, const struct dram_command *c)
{
    static const char *const names[] = {"ACT", "PRE", "RD", "WR", "PREAB", "REFAB", "REFPB"};
    uint32_t acts = 0;
    bool act = c->op == DRAM_ACT || c->op == DRAM_REFPB;
    assert_true(c->bank < rules->banks);
    for (uint64_t i = rules->count; i > 0 && i + RULES_HISTORY > rules->count; i--) {
        const struct dram_command *before = &rules->past[(i - 1) % RULES_HISTORY];
        if (before->ck > c->ck)
            fail_msg("%s of bank %u at %llu, then %s of bank %u at %llu", names[before->op], before->bank,
                     (unsigned long long)before->ck, names[c->op], c->bank, (unsigned long long)c->ck);
        if (c->ck - before->ck < rules_distance(rules, before, c))
            fail_msg("%s of bank %u at %llu, %s of bank %u at %llu: too soon", names[before->op], before->bank,
                     (unsigned long long)before->ck, names[c->op], c->bank, (unsigned long long)c->ck);
        if (before->ck == c->ck) /* one command a clock on each bus */
            assert_true(rules->t->row_bus && rules_column(before->op) != rules_column(c->op));
        if (act && (before->op == DRAM_ACT || before->op == DRAM_REFPB) && ++acts == 4)
            assert_true(c->ck - before->ck >= rules->t->tFAW);
        if (c->ck - before->ck > rules->t->tRFCab + rules->t->tRAS + rules->t->tRP && acts >= 4)
            break;
    }
    rules_states(rules, c);
    rules->past[rules->count++ % RULES_HISTORY] = *c;
    rules->commands[c->op]++;
}

#endif
