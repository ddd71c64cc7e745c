/* The functional machine: decoded code and state in, new state and memory accesses out. It knows no time.
 *
 *   exec_module   code of a cubin, decoded once, relocated, with its globals in device memory
 *   exec_launch   one kernel launch: grid, constant banks, parameters
 *   exec_core     the part that one SM's warps share: the way to device memory, accesses in flight, the first fault
 *   exec_cta      a resident CTA: shared memory, its warps
 *   exec_warp     registers, predicates, divergent paths, convergence barriers
 *
 * Memory order. A core is immediate (a functional run: every access takes effect at once) or deferred (a timed run):
 * then a weak load reads device memory when it executes, overlaid with its own core's stores that are still on their
 * way. Stores, reductions, atomics and strong loads take effect when exec_apply is called for each of their sectors, by
 * the owner of that sector's L2 slice, and results reach the registers at exec_complete. */
#ifndef SUBCORE_EXEC_EXEC_H
#define SUBCORE_EXEC_EXEC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/status.h"
#include "cubin/cubin.h"
#include "exec/memory.h"
#include "isa/contract.h"
#include "isa/issued.h"

enum {
    EXEC_LANES = ISA_LANES,
    EXEC_DATA = 4,      /* words of 64 bits that a lane can access at once */
    EXEC_TOKENS = 1024, /* accesses a deferred core can have in flight */
    EXEC_COMMANDS = 64, /* commands of engines that it can have in flight; tokens from EXEC_TOKENS on */
    EXEC_COMMITS = 64,  /* commits of tensor engines in flight; tokens from EXEC_TOKENS + EXEC_COMMANDS on */
    EXEC_PATHS = 32,
    EXEC_BANKS = 5,
    EXEC_CTA_GROUP = 16,                 /* CTAs of a cluster, at most */
    EXEC_BARRIERS = 16,                  /* of a CTA */
    EXEC_CLUSTER_BARRIER = EXEC_BARRIERS /* the number under which the barrier of the cluster is reported */
};

/* Generic windows. Anything between EXEC_LOCAL_WINDOW and the end of the shared window is not global memory. The shared
 * window has a slot of EXEC_WINDOW_BYTES for each rank in a cluster, so that the low word of an address in it is a
 * 32-bit address of shared memory: the rank in bits 31:24, the offset in that CTA's memory below. */
#define EXEC_SHARED_WINDOW UINT64_C(0x00007e0000000000)
#define EXEC_SHARED_BYTES UINT64_C(0x0000000100000000)
#define EXEC_LOCAL_WINDOW UINT64_C(0x00007d0000000000)
#define EXEC_WINDOW_BYTES UINT64_C(0x0000000001000000)
enum { EXEC_RANK_SHIFT = 24 };

struct exec_warp;
struct exec_core;
struct exec_inst;
struct exec_commit;
struct exec_remote;
struct proxy_shadow;
struct tensor_memory;
struct exec_pair_operation;
struct exec_stack;

/* Executes one instruction for the lanes in `active` (never 0 except for uniform instructions). Control flow and
 * memory go through `out`; faults through the core. */
typedef void exec_fn(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                     struct issued *out);

/* A decoded instruction, ready to run. */
struct exec_inst {
    exec_fn *run;
    uint32_t guard_flip; /* all ones when the guard is inverted */
    uint8_t guard;       /* number of the guard predicate */
    uint16_t rows;       /* registers up to the highest that it names */
    uint8_t turns;       /* of a functional run, until its loads have arrived for an instruction that waits */
    bool guard_uniform : 1;
    bool at_slice : 1; /* the memory order lets it take effect only at the L2 slice */
    bool plain : 1;    /* FP32: no modifier, to nearest */
    bool waits : 1;    /* the control bits make it wait for the result of an earlier instruction */
    bool shares : 1;   /* it accesses memory that other warps see */
    bool joins : 1;    /* it waits for products of a warpgroup */
    bool computes : 1; /* it takes and leaves values of its warp, and does nothing else (exec/compute.h) */
    struct isa_inst isa;
};

/* Fills in everything beside `isa`. */
void exec_inst_prepare(struct exec_inst *inst);

/* Code of one section, at its place behind the kernel's own code. */
struct exec_part {
    uint32_t section, pc, bytes;
};

/* The code is one range of pcs: the kernel's section, then those of the functions that it may call by address, then an
 * instruction for each function that the driver would supply. */
struct exec_kernel {
    const struct cubin_kernel *cubin;
    struct exec_inst *code;
    uint32_t count;         /* instructions; code[count] faults, for a warp that runs off the end */
    uint32_t rows;          /* registers that a warp needs: REGCOUNT, or more when the code names more */
    bool reconfigures;      /* its warps change how many registers they have (setmaxnreg) */
    bool packed;            /* three instructions of 8 bytes share a control word (isa/pascal.h) */
    bool allocates;         /* its warps allocate tensor memory */
    uint32_t local_bytes;   /* local memory a thread; exec_launch.stack_bytes come to it */
    struct exec_part *part; /* sections behind the kernel's own */
    uint32_t part_count;
    uint32_t services;      /* pc of the first driver function */
    uint32_t service_count; /* one for each symbol without a section, in their order */
    uint32_t *service;      /* its symbol */
};

/* How the CTAs of a kernel depend on each other, from the least to the most. */
enum exec_order {
    EXEC_APART,   /* none waits for another, or does work by the order of CTAs */
    EXEC_ORDERED, /* atomics on device memory return values: work, or who waits, may go by the order of CTAs */
    EXEC_WAITING  /* strong loads, in which a CTA may wait for another; or CTAs take over the work of others */
};

/* Returns how the code says that they do. */
enum exec_order exec_kernel_order(const struct exec_kernel *kernel);

struct exec_module {
    unsigned sm;
    struct cubin cubin; /* its image bytes are kept in `image` */
    uint8_t *image;
    struct exec_kernel *kernels; /* parallel to cubin.kernels; decoded on first use by exec_module_kernel */
    struct memory *memory;       /* borrowed */
    uint8_t *bank3, *bank4;      /* 64 KiB each, zero beyond the cubin's contents. NULL when it has none */
    uint64_t globals;            /* device address of .nv.global.init and .nv.global; 0 when none */
    uint64_t constants;          /* device address of a bank 3 copy; 0 when it is empty */
    struct isa_decoder *decoder;
};

/* Code addresses, as relocations and CALL.ABS know them: a window for each section, and one for symbols that the driver
 * would supply. */
#define EXEC_CODE_WINDOW UINT64_C(0x0000600000000000)
#define EXEC_EXTERN_WINDOW UINT64_C(0x0000610000000000)
enum { EXEC_SECTION_SHIFT = 24 };

static inline uint64_t exec_section_address(uint32_t section)
{
    return EXEC_CODE_WINDOW + ((uint64_t)section << EXEC_SECTION_SHIFT);
}

/* Takes a copy of `image`. Words that do not decode are no error here: executing one is. */
bool exec_module_load(struct exec_module *module, struct memory *memory, struct cubin_bytes image, const char *path,
                      struct status *status);
void exec_module_unload(struct exec_module *module);
const struct exec_kernel *exec_module_kernel(struct exec_module *module, const char *name, struct status *status);
/* The same for one of module->cubin.kernels. */
const struct exec_kernel *exec_module_function(struct exec_module *module, const struct cubin_kernel *function,
                                               struct status *status);

struct exec_dim {
    uint32_t x, y, z;
};

/* An observer of a functional run. It changes nothing. */
struct exec_watch {
    void *self;
    void (*issued)(void *self, const struct exec_warp *warp, const struct issued *issued);
    /* A warp has executed so much arithmetic in a row, of which `issued` hears nothing. NULL: it hears of each. */
    void (*computed)(void *self, const struct exec_warp *warp, uint32_t count);
};

/* Is told that the warps of a launch spin: once, and again when it is interrupted (exec/control/spin.h). */
struct exec_spins {
    void *self;
    void (*tell)(void *self, const char *kernel, const char *text);
    uint64_t after; /* instructions, of a timed run cycles, without a begin or an end of a CTA (0: the usual) */
};

/* The findings that the checker of shared memory between the proxies has found (exec/memory/proxy.h). */
struct exec_finding {
    uint8_t kind;           /* enum proxy_kind */
    uint32_t first, second; /* pcs */
    uint32_t first_warp;    /* of the first, in its CTA */
    uint32_t warp;          /* of the second */
    uint32_t offset;        /* in shared memory */
    uint64_t cta;           /* linear index */
};

/* An observer of such findings. Cores of different SMs may call at the same time. */
struct exec_findings {
    void *self;
    void (*found)(void *self, unsigned sm, const struct exec_finding *finding);
};

/* Lets accesses to global memory pass that lie outside of all allocations, in pages that are mapped, as hardware does,
 * and is told of each. Cores of different SMs may call at the same time. */
struct exec_outside {
    void *self;
    void (*seen)(void *self, const struct exec_warp *warp, uint32_t pc, unsigned lane, uint64_t address,
                 unsigned bytes);
};

/* Stack of a thread whose call graph the compiler does not know, beside the known stack: CUDA's default. */
enum { EXEC_STACK_LIMIT = 1024 };

/* The description of a launch. */
struct exec_launch_inputs {
    const char *kernel;                  /* found by its name */
    const struct cubin_kernel *function; /* one of module->cubin.kernels, instead of the name (NULL: by name) */
    struct exec_dim grid, block;
    uint32_t dynamic_shared_bytes;
    const void *parameters;
    size_t parameter_bytes;
    unsigned sm_count;
    uint32_t warp_slots;     /* resident warps of the GPU */
    uint32_t stack_limit;    /* bytes (0: EXEC_STACK_LIMIT) */
    uint64_t grid_workspace; /* device address of a grid barrier's words (0: not a cooperative launch) */
    struct exec_dim cluster; /* CTAs of a cluster; 0 in x: as the kernel was compiled, or no clusters */
};

struct exec_launch {
    const struct exec_module *module;
    const struct exec_kernel *kernel;
    struct exec_dim grid, block;
    uint32_t dynamic_shared_bytes;
    uint32_t shared_bytes;     /* static and dynamic, with the system's share inside the CTA's window */
    uint32_t reserved_inside;  /* the system's share at the start of a CTA's shared memory, in use or not */
    uint32_t reserved_outside; /* the system's share of an SM's shared memory beside that */
    uint32_t warps_per_cta;
    uint64_t cta_count;
    struct exec_dim cluster;              /* CTAs of a cluster in each dimension; divides the grid */
    uint32_t cta_group;                   /* CTAs of a cluster in all: they begin together */
    uint64_t local_base;                  /* device address of local memory, 0 when the kernel uses none */
    uint32_t local_slots;                 /* resident warp slots that local memory was allocated for */
    uint32_t stack_bytes;                 /* of a thread, in local memory beyond kernel->local_bytes */
    bool cooperative;                     /* all CTAs are resident at once */
    bool side_by_side;                    /* of exec_run: CTAs take short turns, as on a GPU */
    bool explicit_cluster;                /* the launch or the kernel asks for clusters, perhaps of one CTA */
    uint64_t grid_workspace;              /* device address, of a cooperative launch */
    uint64_t parameter_block;             /* device address of a parameter copy (0: the code asks for none) */
    uint64_t start_ns;                    /* the global timer at cycle 0 */
    uint64_t clock_hz;                    /* for the global timer of exec_run (0: it counts instructions) */
    uint32_t timer_width;                 /* instructions a cycle, of that timer (0: 1) */
    const uint8_t *bank[EXEC_BANKS];      /* 64 KiB each; unused banks read zero */
    uint8_t *bank0, *bank2;               /* owned */
    unsigned sm_count;                    /* for the special registers and driver constants */
    FILE *output;                         /* of printf */
    const struct exec_watch *watch;       /* of exec_run (NULL: none) */
    const struct exec_spins *spins;       /* of exec_run (NULL: no reports) */
    const struct exec_findings *findings; /* NULL: shared memory is not checked between proxies */
    const struct exec_outside *outside;   /* NULL: every access outside of allocations is a fault */
};

/* Checks dimensions, parameter size and shared memory against the limits of every architecture (1024 threads a CTA; the
 * GPU's own limits are the caller's), builds the constant banks, allocates local memory for `warp_slots` resident
 * warps. */
bool exec_launch_prepare(struct exec_launch *launch, struct exec_module *module,
                         const struct exec_launch_inputs *request, struct status *status);
void exec_launch_end(struct exec_launch *launch);

/* Local memory of a thread. */
static inline uint32_t exec_local_bytes(const struct exec_launch *launch)
{
    return launch->local_base ? launch->kernel->local_bytes + launch->stack_bytes : 0;
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

enum exec_path_state {
    EXEC_PATH_READY,
    EXEC_PATH_AT_BSYNC,
    EXEC_PATH_AT_WARPSYNC,
    EXEC_PATH_AT_COLLECTIVE,
    EXEC_PATH_AT_BARRIER
};

/* Threads of a warp that stand at the same pc. Path 0.. of a warp are disjoint and cover the live threads. The pc of a
 * path that waits is where it goes on. */
struct exec_path {
    uint32_t pc, mask;
    uint32_t wait;  /* AT_WARPSYNC, AT_COLLECTIVE: mask that must arrive; AT_BSYNC: barrier register;
                                     * AT_BARRIER: number of the CTA barrier */
    uint16_t warps; /* AT_BARRIER: as issued.barrier_warps */
    uint8_t state;
    bool reduces;   /* AT_BARRIER: it takes part in a reduction */
    bool exclusive; /* AT_WARPSYNC, AT_COLLECTIVE: goes on without threads that it does not wait for */
    uint32_t group; /* READY in an exclusive or collective section: its threads, until the next instruction (0: none) */
};

/* The last test of barrier objects in shared memory has found these phases unfinished. */
struct exec_wait {
    uint32_t lanes;              /* 0: nothing */
    uint32_t parity;             /* the phase of each lane that has to end */
    uint32_t offset[EXEC_LANES]; /* of these lanes' objects */
};

enum { EXEC_WARPGROUP_GROUPS = 8 }; /* a wait leaves 7 groups pending, at most */

/* Products of a warpgroup that a warp has issued, since its CTA began. */
struct exec_warpgroup {
    uint32_t issued, groups;
    uint32_t committed[EXEC_WARPGROUP_GROUPS]; /* `issued` at the end of each last group */
};

struct exec_warp {
    uint32_t (*reg)[EXEC_LANES]; /* [registers] rows of 32 lanes, 64-byte aligned */
    uint32_t register_count;
    uint32_t pred[8];                 /* lane masks; [7] stays all ones */
    uint32_t ureg[256];               /* [255] stays 0 */
    uint8_t upred;                    /* bit 7 stays 1 */
    uint32_t barrier[16][EXEC_LANES]; /* convergence barriers: the threads that each thread waits for, itself included
                                       * */
    uint32_t rpc[2][EXEC_LANES];      /* Rpc.LO and Rpc.HI, which RPCMOV writes and reads */
    uint32_t live;                    /* threads that have not exited */
    uint32_t launched;                /* threads the warp started with */
    uint32_t paths, current;          /* paths[current] executes; valid while live != 0 */
    struct exec_path path[EXEC_PATHS];
    uint32_t collective_target[EXEC_LANES];
    uint32_t barrier_count; /* the result of the last reduction at a barrier: threads whose predicate holds, */
    bool barrier_vote;      /* and all or any of them */
    uint32_t arrived[EXEC_BARRIERS + 1]; /* threads that have arrived (BAR.ARV, UCGABAR_ARV) before others of the warp
                                          */
    uint32_t asked, answered;            /* lanes in a driver function whose result comes later. Those that have it */
    uint32_t backward_branches;          /* since a path last ended or had to wait; bounds a spin loop */
    uint32_t spin_pc;                    /* a branch at which a possible spin loop is watched (UINT32_MAX: none) */
    uint64_t spin_state;                 /* digest of the registers there */
    struct exec_warpgroup warpgroup;
    uint64_t generation;      /* counts the CTAs that used this storage */
    struct exec_wait wait;    /* at barrier objects in shared memory */
    uint32_t registers;       /* of a thread that the warp may name: as launched, then setmaxnreg's */
    uint32_t wanted;          /* registers that it asks for and has not got (0: none) */
    uint32_t wanted_columns;  /* of tensor memory; likewise */
    uint8_t retries;          /* exec/retry.h */
    struct exec_stack *stack; /* of Pascal's code (exec/pascal/stack.h) (NULL: of other code) */
    struct exec_cta *cta;
    uint32_t index; /* in the CTA */
    uint32_t slot;  /* of the SM: picks local memory, %warpid */
};

/* The values that BAR.RED combines until the barrier completes. */
struct exec_reduction {
    uint32_t arrived, released; /* threads; equal: the next arrival begins a new use */
    uint32_t count;             /* threads whose predicate is true */
    uint8_t function;           /* as in BAR.RED */
};

/* A CTA's view of its cluster. Without clusters a CTA is one by itself. In a timed run the peers belong to other
 * SMs of the GPC, which other threads may run: only a functional run may touch them here. */
struct exec_cluster {
    uint8_t size, rank;
    struct exec_cta *peer[EXEC_CTA_GROUP]; /* [size] by rank, the CTA itself included */
};

struct exec_cta {
    const struct exec_launch *launch;
    struct exec_dim index;
    uint64_t linear;         /* x fastest */
    uint64_t order;          /* number of the CTA in the order in which they begin: cluster by cluster, then by rank */
    uint8_t *shared;         /* shared_bytes, zeroed at start */
    struct exec_warp *warps; /* launch->warps_per_cta */
    struct proxy_shadow *shadow;  /* of `shared`, NULL without launch->findings */
    struct tensor_memory *tensor; /* exec/tensor/tensor_memory.h (NULL: the kernel allocates none) */
    uint32_t *sm_units;           /* of tensor memory that the SM's CTAs have, a bit each (NULL: a functional run) */
    struct exec_cluster cluster;
    uint32_t pool; /* registers of a thread that warps have given up (setmaxnreg), one warp's each */
    struct exec_reduction reduction[EXEC_BARRIERS];
};

/* Returns whether a thread of the CTA has not exited. */
bool exec_cta_lives(const struct exec_cta *cta);

/* Storage for one resident CTA of the launch, in one block, reused from CTA to CTA. */
struct exec_cta *exec_cta_create(const struct exec_launch *launch, struct status *status);
void exec_cta_destroy(struct exec_cta *cta);
/* The same in memory of the caller's, which begins with a line of the host's cache; a multiple of its size. */
size_t exec_cta_bytes(const struct exec_launch *launch);
struct exec_cta *exec_cta_place(void *storage, const struct exec_launch *launch);
/* Makes the storages of `launch->cta_group` CTAs one cluster, by rank; before they start. */
void exec_cluster_form(struct exec_cta *const *cta, uint32_t count);
/* Puts the CTA that is `order`-th to begin into the storage. Warp w gets SM slot first_slot + w. */
void exec_cta_start(struct exec_cta *cta, uint64_t order, uint32_t first_slot);
/* Returns the place in the grid of the CTA that is `order`-th to begin. */
struct exec_dim exec_cta_index(const struct exec_launch *launch, uint64_t order);

/* ---- execution --------------------------------------------------------------------------------------------------- */

/* Text of printf, each piece with the time at which it was printed. */
struct exec_output {
    struct exec_text {
        uint64_t clock;
        char *text; /* owned */
    } * piece;
    uint32_t count, written, room;
};

/* A thread calls malloc or free. */
struct exec_request {
    struct exec_warp *warp;
    uint64_t generation; /* of the warp's storage */
    uint64_t value;      /* bytes, or the address to free */
    uint8_t lane;
    bool frees;
};

/* Why a kernel came to a bad end. */
enum exec_fault_kind {
    EXEC_FAULT_NONE,
    EXEC_FAULT_ADDRESS,     /* nothing is allocated there, or shared memory ends before it */
    EXEC_FAULT_MISALIGNED,  /* the address is no multiple of the access's size */
    EXEC_FAULT_INSTRUCTION, /* a word that is no instruction */
    EXEC_FAULT_PC,          /* a jump to where the module has no code, or the end of the code passed */
    EXEC_FAULT_SPACE,       /* an operation that does not exist for the address's memory (an atomic one on local) */
    EXEC_FAULT_STACK,       /* local memory ends before the address */
    EXEC_FAULT_ASSERT,
    EXEC_FAULT_TRAP,
    EXEC_FAULT_UNSUPPORTED, /* right, but not simulated */
    EXEC_FAULT_MEMORY,      /* the host has no memory left */
    EXEC_FAULT_DEADLOCK,    /* threads wait that nothing can wake */
    EXEC_FAULT_OTHER        /* a misuse of barriers, printf or the device heap */
};

/* A fault in parts. The sentence is in the status. */
struct exec_fault_report {
    enum exec_fault_kind kind;
    char kernel[256], sass[ISA_TEXT];
    char line[128]; /* of the program, "saxpy.cu:12" (empty: the code has no line tables) */
    uint32_t pc;
    struct exec_dim cta;
    uint32_t warp;  /* in the CTA */
    uint32_t lane;  /* EXEC_LANES: no one lane */
    bool has_place; /* false: kernel only, without pc, SASS, CTA, warp and lane */
    bool has_address;
    uint64_t address; /* global, or the offset in shared or local memory */
    char text[400];   /* the event, without the place */
};

const char *exec_fault_name(enum exec_fault_kind kind); /* "illegal address" */

/* Takes the next cluster of the grid that has not begun, which will not begin then and counts as done: returns false if
 * there is none left, else the number of its first CTA in the order in which they begin. */
typedef bool exec_take_function(void *context, uint64_t *order);

struct exec_core {
    struct memory *memory;
    bool immediate;
    unsigned sm_id;
    uint64_t clock;                  /* the clock that CS2R and S2R read. The timed run sets it each issue */
    uint64_t clock_hz;               /* for the global timer */
    uint64_t start_ns;               /* the global timer at clock 0 */
    uint32_t timer_width;            /* clock counts of this core in a cycle of the global timer (0: 1) */
    struct status fault;             /* first fault; a core with a fault executes no more */
    struct exec_fault_report report; /* the same for programs */
    struct exec_output output;       /* text that the program has printed and no caller has written yet */
    struct exec_request *request;    /* driver functions that wait for exec_serve, deferred cores only */
    uint32_t request_count, request_room;
    struct exec_pair_operation *pair; /* exec/tensor/tensor_pair.h, deferred cores only */
    uint32_t pair_count, pair_room;
    uint32_t tensor_units;        /* of tensor memory that CTAs have, a bit each; deferred cores only */
    struct exec_pending *pending; /* [EXEC_TOKENS], deferred cores only */
    struct exec_store_log *log;   /* deferred cores only */
    struct exec_command *command; /* [EXEC_COMMANDS], deferred cores only */
    struct exec_commit *commit;   /* [EXEC_COMMITS], deferred cores only */
    struct exec_remote **remote;  /* accesses to other CTAs in flight, by token; deferred cores only, NULL: none yet */
    struct exec_work {
        exec_take_function *take; /* NULL: there is nothing left */
        void *context;
    } work;                       /* of an immediate core: where clusters that have not begun come from */
    bool asks_for_work;           /* since the last exec_serve_work; deferred cores */
    uint32_t token;               /* of the instruction that executes */
    uint64_t thread_instructions; /* lanes executed, for rates */
};

/* `accesses` is where a deferred core keeps its accesses in flight (NULL: an immediate core). */
bool exec_core_init(struct exec_core *core, struct memory *memory, struct arena *accesses, unsigned sm_id,
                    struct status *status);
void exec_core_free(struct exec_core *core);

/* Answers the requests of a deferred core for device heap memory, and lets its operations on the tensor memory of CTA
 * pairs take effect. Called for one core after the other, in an order that does not depend on threads, while none of
 * them executes. */
void exec_serve(struct exec_core *core);
/* Answers the requests that CTAs of the launch on a deferred core have asked of the CTA scheduler. Called as exec_serve
 * is. */
void exec_serve_work(struct exec_core *core, const struct exec_launch *launch, exec_take_function *take, void *context);
/* Writes the text that the cores have printed, in the order of time and then by core, and forgets it. */
void exec_write_output(struct exec_core *const *cores, uint32_t count, FILE *to);

/* Pc of the instruction that the warp executes next. The warp is live and not waiting at a CTA barrier. */
uint32_t exec_pc(const struct exec_warp *warp);

/* Writes the address that the warp asks for again and again, for a report: "waits for the end of phase 0 at mbarrier
 * 0x400 (phase 0, 1 of 1 arrivals and 4096 bytes pending)". Returns false, and writes nothing, if it asks for nothing.
 * */
bool exec_wait_text(const struct exec_warp *warp, char *text, size_t size);

/* Executes the next instruction of the warp. `token` names the access in a deferred core (0..EXEC_TOKENS-1, not in
 * use), or the command of an engine (EXEC_TOKENS + 0..EXEC_COMMANDS-1); ignored for instructions that defer nothing. A
 * fault is put into core->fault and the warp exits. */
void exec_step(struct exec_core *core, struct exec_warp *warp, uint32_t token, struct issued *out);

/* A CTA barrier that the warp waits at has completed. Sets *next_pc. */
void exec_release_barrier(struct exec_warp *warp, uint32_t *next_pc);

/* Deferred cores: lanes `lanes` of access `token` take effect now at their L2 slice. Called in slice order by the owner
 * of the addresses. Calls for lanes of different sectors may run in parallel. */
void exec_apply(struct exec_core *core, uint32_t token, uint32_t lanes);
/* Tells whether the access need not wait any longer: all barrier objects that a SYNCS.PHASECHK.TRYWAIT waits for have
 * ended their phase, which later phases do not take back. True for other accesses. */
bool exec_ready(struct exec_core *core, uint32_t token);
/* Tells whether a barrier object has ended its phase that the warp's last test found unfinished; true without such. */
bool exec_awake(const struct exec_warp *warp);
/* Lanes `lanes` of the core's access `token`, which are to CTAs of one other SM, take effect now in their shared
 * memory. The caller runs that SM. */
void exec_serve_remote(struct exec_core *from, uint32_t token, uint32_t lanes);
/* The access is complete: the result is written to the registers, the stores leave the log, the token is free. A wait
 * at barrier objects tests them a last time. */
void exec_complete(struct exec_core *core, uint32_t token);

/* Commands of engines (exec/engine/command.h), in deferred cores.
 *
 * A row of a store or reduction takes effect now at the L2 slice that has `line`, a multiple of 128, as far as it lies
 * in these sectors. Calls for different lines may run in parallel. */
void exec_command_apply(struct exec_core *core, uint32_t command, uint32_t row, uint64_t line, uint32_t sectors);
/* All data of the command have come, or all its writes are acknowledged: loads write shared memory and complete their
 * transactions. The token EXEC_TOKENS + command is free. */
void exec_command_complete(struct exec_core *core, uint32_t command);
/* The data of a load, or a copy from shared memory, reach the CTA of this rank, which `core` has. `from` has the
 * command, and keeps it until exec_command_complete. */
void exec_command_serve(struct exec_core *core, struct exec_core *from, uint32_t command, uint32_t rank);

/* Commits of tcgen05 (exec/tensor/commit.h), in deferred cores. Operations that issued before it are over: the commit
 * arrives in the memory of the CTA that has issued it, if it goes there. */
void exec_commit_complete(struct exec_core *core, uint32_t commit);
/* It arrives at the CTA of this rank, which `core` has. `from` has the commit. */
void exec_commit_serve(struct exec_core *core, struct exec_core *from, uint32_t commit, uint32_t rank);

/* ---- functional run ---------------------------------------------------------------------------------------------- */

struct exec_totals {
    uint64_t warp_instructions;
    uint64_t thread_instructions; /* active lanes */
    uint64_t ctas;
    struct exec_fault_report fault;
};

/* Runs a whole launch without time, CTAs in grid order on the calling thread, their warps in short turns. A CTA that
 * runs long is put aside for the next ones so that CTAs which wait for each other make progress. All CTAs of a
 * cooperative launch are resident. `stop` (may be NULL) is polled. `progress` (may be NULL) is called now and then with
 * the CTAs and the warp instructions done. */
bool exec_run(const struct exec_launch *launch, const volatile bool *stop,
              void (*progress)(void *context, uint64_t done, uint64_t total, uint64_t instructions), void *context,
              struct exec_totals *totals, struct status *status);

/* A CTA of a functional run: the warps that run, and those that wait at each barrier. */
struct exec_resident {
    struct exec_cta *cta;
    uint32_t live;                    /* warps (0: the storage is free) */
    uint32_t arrived[EXEC_BARRIERS];  /* warps, since the barrier last completed */
    uint32_t expected[EXEC_BARRIERS]; /* warps (0: all that live) */
    uint32_t runs, waits;             /* warps, a bit each, that run or wait at a barrier. Others have exited */
    uint8_t barrier[32];              /* of each warp that waits */
    uint32_t asleep;                  /* of those that run: they wait for their loads */
    uint64_t turn, wake;              /* number of the turn; the one in which the first of them wakes */
    uint64_t there[32];               /* turn in which all that the warp has loaded is there */
    uint32_t cluster_arrived;         /* warps that have arrived at the cluster's barrier, a bit each */
    struct exec_resident *peer[EXEC_CTA_GROUP]; /* CTAs of the cluster, by rank */
    uint32_t sm, first_slot;                    /* where its local memory is */
    bool placed;                                /* these two are fixed (false: the run chooses them for each CTA) */
};

/* The CTA in r->cta is one that goes on: its warps run, except those that have exited. */
void exec_resident_begin(struct exec_resident *resident);
/* A warp of it waits at a barrier. */
void exec_resident_wait(struct exec_resident *resident, uint32_t warp, unsigned barrier);

/* A launch that has come part of the way. The storage of CTAs that have begun is placed, and remains the caller's.
 * Without any, the run has its own. */
struct exec_rest {
    uint64_t clock;                 /* where the cores' clock goes on */
    uint64_t next, done;            /* CTAs that have begun, and ended */
    uint64_t end;                   /* the first CTA that is left out. The number of CTAs: none */
    uint64_t instructions;          /* warp instructions so far, for messages */
    struct exec_resident *resident; /* [count] */
    uint32_t count;

    /* Returns the number in the grid of the CTA that begins as number `index`; NULL: it is the same. */
    uint64_t (*number)(const void *order, uint64_t index);
    const void *order;
};

/* The rest of a launch up to `end`, as exec_run. The totals are of the rest, but for totals->ctas. */
bool exec_run_rest(const struct exec_launch *launch, const struct exec_rest *rest, const volatile bool *stop,
                   void (*progress)(void *context, uint64_t done, uint64_t total, uint64_t instructions), void *context,
                   struct exec_totals *totals, struct status *status);

#endif
