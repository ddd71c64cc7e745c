/* Litmus tests as numbers that C and CUDA both understand: the device runs them, the host works out the outcomes that
 * the PTX memory model allows (allowed.h).
 *
 * A thread is up to five operations of 12 bits, the first in the lowest bits. Locations X, Y, Z are 32-bit words, zero
 * at first. A store or an exchange writes a value from 1 to 3. */
#ifndef SUBCORE_TESTS_LITMUS_OPS_H
#define SUBCORE_TESTS_LITMUS_OPS_H

enum { LITMUS_THREADS = 4, LITMUS_OPS = 5, LITMUS_READS = 2, LITMUS_LOCATIONS = 3 };

enum litmus_kind { OP_NONE, OP_STORE, OP_LOAD, OP_EXCHANGE, OP_FENCE };
enum litmus_order { WEAK, RLX, ACQ, REL, AR, SC, VOL }; /* AR, SC: of fences; VOL: ld.volatile, st.volatile */
enum litmus_scope { CTA, GPU, SYS };
enum litmus_location { X, Y, Z };

#define LITMUS_OP(kind, location, order, scope, value)                                                                 \
    ((unsigned long long)(kind) | (unsigned long long)(location) << 3 | (unsigned long long)(order) << 5 |             \
     (unsigned long long)(scope) << 8 | (unsigned long long)(value) << 10)
#define LITMUS_AT(thread, i) ((unsigned)((thread) >> 12 * (i)) & 0xfffu)
#define LITMUS_KIND(op) ((op)&7u)
#define LITMUS_LOCATION(op) ((op) >> 3 & 3u)
#define LITMUS_ORDER(op) ((op) >> 5 & 7u)
#define LITMUS_SCOPE(op) ((op) >> 8 & 3u)
#define LITMUS_VALUE(op) ((op) >> 10 & 3u)

/* The language of tests.def. */
#define W(location, value, order, scope) LITMUS_OP(OP_STORE, location, order, scope, value)
#define R(location, order, scope) LITMUS_OP(OP_LOAD, location, order, scope, 0)
#define XCHG(location, value, order, scope) LITMUS_OP(OP_EXCHANGE, location, order, scope, value)
#define F(order, scope) LITMUS_OP(OP_FENCE, 0, order, scope, 0)
#define NOTHING 0ull
#define T1(a) (a)
#define T2(a, b) ((a) | (b) << 12)
#define T3(a, b, c) ((a) | (b) << 12 | (c) << 24)

/* The arguments of a kernel. Role i is thread `thread[i]` of CTA `cta[i]`. */
struct litmus_args {
    unsigned long long locations; /* of iteration k: from locations + k * LITMUS_LOCATIONS * stride on */
    unsigned long long sync;      /* words, zero at first: how many have come, from 128 on when each iteration starts */
    unsigned long long out;       /* words [iterations][LITMUS_THREADS][LITMUS_READS] */
    unsigned stride;              /* bytes from one location to the next */
    unsigned iterations, delay, seed; /* delay: cycles */
    unsigned noise; /* threads of the roles' CTAs from this one on load the lines with reductions (0: none) */
    unsigned cta[LITMUS_THREADS], thread[LITMUS_THREADS];
};

#endif
