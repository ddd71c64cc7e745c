#include "sm/memory/return_path.h"

static uint64_t take_cycles(struct return_path *p, uint64_t from, uint32_t cycles)
{
    uint64_t c = from;
    for (; cycles; c++) {
        uint64_t word = c / 64;
        unsigned i = word % RETURN_WORDS;
        if (p->stamp[i] != word) {
            p->stamp[i] = word;
            p->busy[i] = 0;
        }
        if (p->busy[i] == UINT64_MAX) {
            c |= 63;
        } else if (!(p->busy[i] >> c % 64 & 1)) {
            p->busy[i] |= UINT64_C(1) << c % 64;
            cycles--;
        }
    }
    return c;
}

uint64_t return_path_deliver(struct return_path *p, enum return_class class, uint64_t ready, uint32_t cycles)
{
    if (class != RETURN_GLOBAL && ready < p->last[class])
        ready = p->last[class];
    return p->last[class] = take_cycles(p, ready, cycles);
}
