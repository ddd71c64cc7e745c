#include "sm/registers/register_file.h"

/* Reads of each bank. */
struct need {
    unsigned even, odd;
};

/* ---- read ports -------------------------------------------------------------------------------------------------- */

/* Of count < 64. */
static uint64_t low_bits(unsigned count) { return (UINT64_C(1) << count) - 1; }

static inline __attribute__((always_inline)) void advance(struct read_ports *p, unsigned ports, uint64_t end)
{
    if (end <= p->end)
        return;
    uint64_t by = end - p->end, keep = by < RF_READ_SPAN ? UINT64_MAX : 0;
    for (unsigned port = 0; port < ports; port++)
        for (unsigned bank = 0; bank < RF_BANKS; bank++)
            p->taken[bank][port] = p->taken[bank][port] >> by % RF_READ_SPAN & keep;
    p->end = end;
}

/* Where a cycle of the span stands in `taken`. */
static unsigned place(const struct read_ports *p, uint64_t cycle) { return (unsigned)(cycle - p->end) % RF_READ_SPAN; }

/* Cycles from + i, bit i, i < count, in which the port is free. */
static uint64_t free_cycles(const struct read_ports *p, unsigned bank, unsigned port, uint64_t from, unsigned count)
{
    return ~p->taken[bank][port] >> place(p, from) & low_bits(count);
}

static void take(struct read_ports *p, unsigned bank, unsigned port, uint64_t from, uint64_t cycles)
{
    p->taken[bank][port] |= cycles << place(p, from);
}

/* The `need` lowest bits of `free`, UINT64_MAX when it has not so many. */
static inline uint64_t lowest(uint64_t free, unsigned need)
{
    uint64_t rest = free;
    for (; need; need--) {
        if (!rest)
            return UINT64_MAX;
        rest &= rest - 1;
    }
    return free ^ rest;
}

/* The reads of a bank with two ports: the earliest free cycles of either, the first port's before. `taken` has the
 * ports' cycles from the first of the window on, of which `window` has a bit each. */
static inline bool choose_two(uint64_t taken[RF_PORTS], uint64_t window, unsigned need)
{
    uint64_t first = ~taken[0] & window, second = ~taken[1] & window;
    if ((first & second) == window && low_bits((need + 1) / 2) <= window) { /* no other reads */
        taken[0] = low_bits((need + 1) / 2);
        taken[1] = low_bits(need / 2);
        return true;
    }
    for (; need; need--) {
        if (!(first | second))
            return false;
        if ((first & -first) - 1 <= (second & -second) - 1)
            first &= first - 1;
        else
            second &= second - 1;
    }
    taken[0] = ~first & window;
    taken[1] = ~second & window;
    return true;
}

/* The cycles in which the two ports read when nothing else does. */
static inline void take_both(uint64_t taken[RF_PORTS], unsigned need, unsigned at)
{
    if (!need)
        return;
    taken[0] |= low_bits((need + 1) / 2) << at;
    if (need > 1)
        taken[1] |= low_bits(need / 2) << at;
}

static __attribute__((noinline)) bool reserve_beside(struct read_ports *p, struct need need, unsigned at,
                                                     uint64_t window)
{
    uint64_t even[RF_PORTS] = {p->taken[0][0] >> at, p->taken[0][1] >> at};
    uint64_t odd[RF_PORTS] = {p->taken[1][0] >> at, p->taken[1][1] >> at};
    if (!choose_two(even, window, need.even) || !choose_two(odd, window, need.odd))
        return false;
    for (unsigned port = 0; port < RF_PORTS; port++) {
        p->taken[0][port] |= even[port] << at;
        p->taken[1][port] |= odd[port] << at;
    }
    return true;
}

static inline bool reserve_both(struct read_ports *p, struct need need, uint64_t from, unsigned count)
{
    unsigned at = place(p, from), most = need.even > need.odd ? need.even : need.odd;
    uint64_t window = low_bits(count);
    uint64_t others = p->taken[0][0] | p->taken[0][1] | p->taken[1][0] | p->taken[1][1];
    if (others >> at & window || (most + 1) / 2 > count)
        return reserve_beside(p, need, at, window);
    take_both(p->taken[0], need.even, at);
    take_both(p->taken[1], need.odd, at);
    return true;
}

/* All reads within `count` < 64 cycles, or none. */
static inline __attribute__((always_inline)) bool reserve(struct read_ports *p, struct need need, unsigned ports,
                                                          uint64_t from, unsigned count)
{
    if (ports > 1)
        return reserve_both(p, need, from, count);
    uint64_t even = lowest(free_cycles(p, 0, 0, from, count), need.even);
    uint64_t odd = lowest(free_cycles(p, 1, 0, from, count), need.odd);
    if (even == UINT64_MAX || odd == UINT64_MAX)
        return false;
    take(p, 0, 0, from, even);
    take(p, 1, 0, from, odd);
    return true;
}

/* ---- the reads of an instruction --------------------------------------------------------------------------------- */

enum { READS_MOST = 32 };

struct port_reads {
    uint8_t count[RF_BANKS];
    uint8_t seen_count;
    uint8_t seen[READS_MOST];
};

/* Several operands that name the same register share a read. */
static void add_read(struct port_reads *reads, uint8_t reg)
{
    for (unsigned i = 0; i < reads->seen_count; i++)
        if (reads->seen[i] == reg)
            return;
    reads->count[reg % RF_BANKS]++;
    if (reads->seen_count < READS_MOST)
        reads->seen[reads->seen_count++] = reg;
}

/* Reads that miss the register-file cache and need a port. Only fixed-latency instructions look there. A pair of
 * registers goes to the slots of both banks. */
static struct need reads_of(const struct code *code, struct rfc *rfc, uint8_t slot, struct sm_counters *n)
{
    struct port_reads out = {.seen_count = 0};
    for (unsigned r = 0; r < code->reads; r++) {
        const struct code_read *read = &code->read[r];
        for (unsigned w = 0; w < read->words; w++) {
            uint8_t reg = (uint8_t)(read->first + w);
            if (rfc_read(rfc, slot, reg, read->position, read->reuse))
                n->rfc_hits++;
            else
                add_read(&out, reg);
        }
    }
    return (struct need){out.count[0], out.count[1]};
}

/* The same for the usual case. */
static inline struct need plain_reads_of(const struct code *code, struct rfc *rfc, uint8_t slot, struct sm_counters *n)
{
    unsigned odd = 0, all = 0;
    for (unsigned r = 0; r < code->reads; r++) {
        const struct code_read *read = &code->read[r];
        unsigned misses = !rfc_read(rfc, slot, read->first, read->position, read->reuse);
        all += misses;
        odd += misses & read->first;
    }
    n->rfc_hits += code->reads - all;
    return (struct need){all - odd, odd};
}

static unsigned cycles_of(unsigned reads, unsigned ports) { return ports == 1 ? reads : (reads + 1) / 2; }

/* A GA106 fills cycles of a window that the instruction before left free: a mix of FFMA runs at the rate of the busier
 * bank. On an A100 each instruction pays for its own reads, whatever the one before read there: as if the port of a
 * bank that it uses were reserved for its whole window (experiment reuse-a100). */
static inline __attribute__((always_inline)) bool reserve_window(struct register_file *rf, bool backfill,
                                                                 struct need need, unsigned ports, uint64_t from,
                                                                 unsigned window)
{
    if (!backfill) {
        uint64_t even = rf->window_end[0] > from ? rf->window_end[0] : from;
        uint64_t odd = rf->window_end[1] > from ? rf->window_end[1] : from;
        if ((need.even && even + cycles_of(need.even, ports) > from + window) ||
            (need.odd && odd + cycles_of(need.odd, ports) > from + window))
            return false;
    }
    return reserve(&rf->read, need, ports, from, window);
}

/* Reads that need a port: most instructions are plain, and the host has a short way for them. */
static inline struct need need_of(const struct config_core *config, const struct code *code, struct rfc *rfc,
                                  uint8_t slot, struct sm_counters *n)
{
    if (!config->rfc)
        return (struct need){code->queued_reads[0], code->queued_reads[1]};
    return code->plain & CODE_PLAIN_READS ? plain_reads_of(code, rfc, slot, n) : reads_of(code, rfc, slot, n);
}

/* Returns the cycle, `a` or later, from which the reads are made in a window behind it. The caller knows the number of
 * ports when it is compiled. */
static inline __attribute__((always_inline)) uint64_t read_window(struct register_file *rf,
                                                                  const struct config_core *config,
                                                                  const struct code *code, struct need need,
                                                                  unsigned ports, uint64_t a, struct sm_counters *n)
{
    unsigned window = code->window;
    unsigned cycles = cycles_of(need.even > need.odd ? need.even : need.odd, ports);
    bool backfill = config->read_backfill;
    n->register_reads += need.even + need.odd;
    while (cycles > window)
        window += config->read_window;
    advance(&rf->read, ports, a + 1 + window);
    while (!reserve_window(rf, backfill, need, ports, a + 1, window)) {
        a++;
        n->port_conflict_cycles++;
        advance(&rf->read, ports, a + 1 + window);
    }
    if (need.even)
        rf->window_end[0] = a + 1 + window;
    if (need.odd)
        rf->window_end[1] = a + 1 + window;
    return a;
}

uint64_t register_file_allocate(struct register_file *rf, const struct config_core *config, const struct code *code,
                                uint8_t slot, uint64_t issue, uint64_t *entered, struct sm_counters *n)
{
    uint64_t a = issue + ISSUE_TO_ALLOCATE;
    a = a > rf->allocate_free ? a : rf->allocate_free;
    *entered = a;
    if (code->reads && !config->ideal_ports) {
        struct need need = need_of(config, code, &rf->rfc, slot, n);
        a = config->read_ports == 1 ? read_window(rf, config, code, need, 1, a, n)
                                    : read_window(rf, config, code, need, RF_PORTS, a, n);
    }
    rf->allocate_free = a + 1;
    return a;
}

bool register_file_read_queued(struct register_file *rf, const struct config_core *config, const struct code *code,
                               uint64_t since, uint64_t now, struct sm_counters *n)
{
    enum { LOOK_BACK = 24 }; /* leaves the span room for ALLOCATE's reservations */
    if (!code->reads || config->ideal_ports)
        return true;
    advance(&rf->read, config->read_ports, now);
    uint64_t from = now > since + LOOK_BACK ? now - LOOK_BACK : since;
    unsigned cycles = now > from ? (unsigned)(now - from) : 0;
    struct need need = {code->queued_reads[0], code->queued_reads[1]};
    if (!reserve(&rf->read, need, config->read_ports, from, cycles))
        return false;
    n->register_reads += need.even + need.odd;
    return true;
}
