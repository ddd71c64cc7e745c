#include "exec/pascal/condition.h"

#include "exec/pascal/stack_state.h"

void condition_set(struct exec_warp *warp, uint32_t lanes, struct condition flags)
{
    struct condition *c = &warp->stack->condition;
    c->zero = (c->zero & ~lanes) | (flags.zero & lanes);
    c->sign = (c->sign & ~lanes) | (flags.sign & lanes);
    c->carry = (c->carry & ~lanes) | (flags.carry & lanes);
    c->overflow = (c->overflow & ~lanes) | (flags.overflow & lanes);
}

/* The tests 1 to 14 compare as if the flags were those of a difference: bit 0 less, bit 1 equal, bit 2 greater. Bit 3
 * adds unordered numbers, which integers never are. Envytools' description of the earlier nv50 has the same tests. */
uint32_t condition_test(const struct exec_warp *warp, unsigned test, bool *known)
{
    enum { OFF = 16, LO, SFF, LS, HI, SFT, HS, OFT, UNORDERED = 8 };
    const struct condition *c = &warp->stack->condition;
    uint32_t less = (c->sign ^ c->overflow) & ~c->zero, equal = c->zero, greater = ~(less | equal);
    *known = test <= OFT;
    switch (test) {
    case OFF: return ~c->overflow;
    case LO: return ~c->carry;
    case SFF: return ~c->sign;
    case LS: return ~c->carry | c->zero;
    case HI: return c->carry & ~c->zero;
    case SFT: return c->sign;
    case HS: return c->carry;
    case OFT: return c->overflow;
    default: break;
    }
    if (test == UNORDERED)
        return 0;
    return (test & 1 ? less : 0) | (test & 2 ? equal : 0) | (test & 4 ? greater : 0);
}
