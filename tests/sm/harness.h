/* One SM under a scripted source and a memory system that answers after a fixed time.
 *
 *   struct harness *h = harness_new();
 *   h->config.core.rfc = false;                        configuration first
 *   add(h, ffma(11, 10, 12, 14));                      then the program, 16 bytes an instruction
 *   add(h, stall(exit_warp(), 5));
 *   harness_begin(h);                                  caches can be filled from here on
 *   harness_warp(h, 0, 0);                             a warp in slot 0, from instruction 0 on
 *   harness_run(h);
 *   assert_int_equal(distance(h, 0, 0, 1), 1);         cycles between two issues
 *
 * The instruction cache is perfect unless a test says otherwise. A cycle is the SM's, from 0. */
#ifndef SUBCORE_TESTS_SM_HARNESS_H
#define SUBCORE_TESTS_SM_HARNESS_H

#include "sm/issue/issue.h"
#include "sm/sm.h"
#include "tests/unit.h"

enum { HARNESS_CODE = 16384, HARNESS_LOG = 65536, HARNESS_REQUESTS = 16384, RZ = ISA_RZ };

/* An instruction as the tests write it: the static facts, and the source's answers when it issues. */
struct inst {
    struct code code;
    struct isa_control control;
    bool vector; /* address from per-lane registers */
    bool exits, jumps, barrier, arrives, deferred;
    uint32_t target; /* jumps: number of the instruction */
    uint32_t times;  /* jumps: taken so many times by each warp, then no more */
    uint8_t barrier_number;
    uint16_t barrier_warps;
    uint16_t sleep;
    uint8_t values; /* MATCH.ANY */
    bool wakes, retries;
    uint8_t bytes; /* a lane accesses */
    uint32_t active;
    uint64_t base; /* address of lane l in warp slot s: base + l * stride + s * slot_stride */
    uint64_t stride, slot_stride;
    uint32_t shared_stride;  /* LDGSTS: destination of lane l (0: bytes) */
    const uint32_t *offsets; /* instead: base + offsets[l] */
    uint64_t operand;        /* of each lane (textures) */
};

struct issue_record {
    uint32_t slot, index;
    uint64_t cycle;
};

struct harness {
    struct config config;
    struct config made; /* with which the SM was made: none may change it later */
    struct sm *sm;
    struct inst program[HARNESS_CODE];
    struct code code[HARNESS_CODE];
    uint32_t count;                   /* instructions */
    struct code_registers *registers; /* of the program, under a scoreboard; see sass.h */
    struct code_table table;
    uint32_t warps_per_cta; /* 1: harness_warp gives each warp a CTA of its own */
    uint32_t pc[SM_WARPS];
    uint16_t taken[SM_WARPS][HARNESS_CODE];
    struct issue_record log[HARNESS_LOG];
    uint32_t logged;
    struct request request[HARNESS_REQUESTS];
    uint32_t requests;
    uint32_t latency;               /* of the memory system beyond the network, both ways */
    uint32_t spread;                /* 0, or the latency varies by line below this */
    uint32_t quantum;               /* cycles between two exchanges (0: as many as the network's latency) */
    uint64_t phase_at;              /* cycle at which the awaited phase of barrier objects has ended */
    bool silent;                    /* requests are kept and not answered */
    struct arena storage;           /* of the SM */
    uint32_t completed[LSU_TOKENS]; /* calls of the source's complete */
    uint32_t released;              /* calls of the source's release */
    uint64_t finished[SM_CTAS];     /* cycle at which the CTA in this slot ended */
    uint64_t end;                   /* cycle at which the last one did */
};

struct harness *harness_new(void);

/* The same with an L2 that answers so many cycles after the L1.5 asks: the network takes 40 of them each way. */
enum { HARNESS_L2_MORE = 180 };
struct harness *harness_cold(void);
void harness_free(struct harness *h);

/* The memory system answers this request at cycle `arrival`; `silent` tests call it. */
void harness_reply(struct harness *h, const struct request *to, uint64_t arrival);

/* ---- program ---------------------------------------------------------------------------------------------------- */

struct inst nop(void);
struct inst exit_warp(void);
struct inst clock_read(uint8_t d);
struct inst ffma(uint8_t d, uint8_t a, uint8_t b, uint8_t c);
struct inst iadd(uint8_t d, uint8_t a, uint8_t b, uint8_t c);
struct inst imad(uint8_t d, uint8_t a, uint8_t b, uint8_t c);
struct inst imad_wide(uint8_t d, uint8_t a, uint8_t b, uint8_t c);
struct inst mufu(uint8_t d, uint8_t a);
/* Sources RZ are none: DADD has two, DFMA three. Latency and interval are those of the shared unit. */
struct inst fp64(uint8_t d, uint8_t a, uint8_t b, uint8_t c);
struct inst ffma_constant(uint8_t d, uint8_t a, uint8_t bank, uint32_t offset, uint8_t c);
struct inst branch(uint32_t target, uint32_t times);
struct inst depbar(uint8_t sb, uint8_t most, uint8_t others);
struct inst barrier_sync(uint8_t number, uint16_t warps);
struct inst barrier_arrive(uint8_t number, uint16_t warps);
struct inst membar(enum fence_scope scope);
struct inst ldgdepbar(void);
struct inst nanosleep_for(uint16_t cycles);
/* `vector`: the address comes from per-lane registers. Lane l accesses address + l * bytes; see `strided`. */
struct inst ldg(uint8_t d, bool vector, uint8_t bytes, uint64_t address);
struct inst stg(bool vector, uint8_t bytes, uint64_t address);
struct inst lds(uint8_t d, bool vector, uint8_t bytes, uint64_t offset);
struct inst sts(bool vector, uint8_t bytes, uint64_t offset);
struct inst atoms(uint8_t d, uint64_t offset);
struct inst atomg(uint8_t d, uint64_t address);
struct inst red(uint64_t address);
struct inst ldgsts(uint8_t bytes, uint64_t address);
struct inst ldc(uint8_t d, bool vector, uint8_t bytes, uint8_t bank, uint32_t offset);
struct inst tensor(enum code_tensor kind, uint8_t reg, uint8_t words); /* of a load or store: its registers */
struct inst shfl(uint8_t d, uint8_t a);
/* MATCH.ANY that finds so many different values (0: not known). */
struct inst match(uint8_t d, uint8_t a, uint8_t values);
struct inst s2r(uint8_t d);
struct inst cctl_ivall(void);
/* Operations on a barrier object. The wait is deferred, and over when phase_at has come. */
struct inst syncs_arrive(uint64_t offset);
struct inst syncs_wait(uint64_t offset);
struct inst arrives(uint64_t offset);
struct inst nanosleep_syncs(uint16_t cycles);
struct inst grid_control(bool waits); /* ACQBULK; else PREEXIT */
struct inst atoms_cas(uint8_t d, uint64_t offset);
struct inst ldsm(uint8_t d, uint8_t matrices);
struct inst in_order(struct inst load); /* STRONG.SM */
/* TEX or TLD with a result of one register. The value that lane l reads at address + l * bytes. */
struct inst texture(enum isa_op op, uint8_t bytes, uint64_t address, struct issued_texture reads);
struct inst surface_load(uint64_t address);

struct inst stall(struct inst i, uint8_t cycles);
struct inst yields(struct inst i);
struct inst waits(struct inst i, uint8_t mask);
struct inst writes_sb(struct inst i, uint8_t sb);
struct inst reads_sb(struct inst i, uint8_t sb);
struct inst reuse(struct inst i, unsigned mask);
struct inst strided(struct inst i, uint64_t lane, uint64_t slot);
struct inst lanes(struct inst i, uint32_t active);
struct inst scattered(struct inst i, const uint32_t offsets[32]);
/* LDG of the line at `address` by per-lane addresses, 32 bits each, which holds counter `sb` until it is written. */
struct inst load(uint64_t address, uint8_t sb);

/* Appends. Returns the number of the instruction. */
uint32_t add(struct harness *h, struct inst i);
void add_many(struct harness *h, struct inst i, uint32_t times);

/* ---- run -------------------------------------------------------------------------------------------------------- */

/* The program is complete: an SM with cold caches at cycle 0. */
void harness_begin(struct harness *h);
/* Puts lines into caches. Constants: into the L1.5, and into the L0 of every sub-core (`fl`) or that of LDC (`vl`). */
void harness_warm_l1(struct harness *h, uint64_t address, uint64_t bytes);
void harness_warm_constant(struct harness *h, uint8_t bank, uint32_t offset, bool fl, bool vl);
/* A warp as a CTA of its own in slot 0..31, its first instruction by number. */
void harness_warp(struct harness *h, uint32_t slot, uint32_t first);
/* A CTA of warps_per_cta warps, all from instruction 0 on. */
void harness_cta(struct harness *h, uint32_t cta_slot);
/* A warp of it that begins elsewhere, by slot. Before it runs. */
void harness_enter(struct harness *h, uint32_t slot, uint32_t first);
/* No warp that is resident now issues before `cycle`: the instruction buffers fill. */
void harness_hold(struct harness *h, uint64_t cycle);
/* The program and EXIT, in the first `warps` slots, held until START. */
enum { START = 40 };
void harness_start(struct harness *h, uint32_t warps);
/* Until everything has ended. Fails when that takes more than a million cycles. */
void harness_run(struct harness *h);
void harness_run_until(struct harness *h, uint64_t end);

/* ---- results ---------------------------------------------------------------------------------------------------- */

/* Cycle at which the warp issued instruction `index`, the n-th time (from 0). Fails when it did not. */
uint64_t issued_at(const struct harness *h, uint32_t slot, uint32_t index);
uint64_t issued_nth(const struct harness *h, uint32_t slot, uint32_t index, uint32_t n);
bool has_issued(const struct harness *h, uint32_t slot, uint32_t index);
/* Cycles between the issues of two instructions in one warp. */
uint64_t distance(const struct harness *h, uint32_t slot, uint32_t from, uint32_t to);
/* One warp's runs of consecutive issues in sub-core 0, counted from cycle `start`. Returns how many, at most 64. */
struct span {
    uint32_t slot;
    uint64_t from, to;
};
unsigned harness_spans(const struct harness *h, uint64_t start, struct span out[64]);
uint64_t stall_sum(const struct sm_counters *n);
uint64_t cycle_sum(const struct sm_counters *n);

#endif
