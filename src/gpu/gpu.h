/* A simulated GPU: device memory, modules, launches, each of them timed or functional. This is the module where
 * execution and timing meet: it gives each SM of the core model a source of instructions (the functional machine) and
 * joins SMs and memory system at their ports. */
#ifndef SUBCORE_GPU_GPU_H
#define SUBCORE_GPU_GPU_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "check/check.h"
#include "config/config.h"
#include "exec/fault_report.h"
#include "exec/module.h"
#include "exec/observers.h"
#include "exec/sizes.h"
#include "gpu/cta_schedule.h"
#include "hazard/hazard.h"
#include "plan/plan.h"
#include "probe/lines.h"
#include "probe/result.h"
#include "probe/run_log.h"
#include "probe/samples.h"
#include "sm/observer.h"
#include "trace/reader.h"
#include "trace/writer.h"

struct gpu;

/* The caller that saves a timed launch between two quanta, and goes on with a saved one: gpu_archive (gpu/save.h) may
 * be called. A function that is NULL is not called; false, with status, ends the launch. */
struct gpu_pause {
    void *self;
    bool (*begun)(void *self, struct status *status);                           /* before the first cycle */
    bool (*save)(void *self, uint64_t cycle, bool last, struct status *status); /* last: `stop` is set */
    uint64_t every; /* cycles of all timed launches from one call of `save` to the next (0: only the last) */
};

/* The receiver of a sentence about a launch's accesses outside of allocations, when the launch has ended. */
struct gpu_outside {
    void *self;
    void (*tell)(void *self, const char *kernel, const char *words); /* words: "makes 3 accesses ..." */
};

struct gpu_options {
    unsigned threads;          /* host threads, 1..256 */
    bool functional;           /* execute only, no time */
    const volatile bool *stop; /* polled (NULL: never) */
    /* Called from the calling thread now and then (NULL: never). `cycle` is 0 in functional runs. */
    void (*progress)(void *context, uint64_t ctas_done, uint64_t ctas, uint64_t cycle, uint64_t instructions);
    void *progress_context;
    struct exec_spins spins;            /* called from the calling thread when warps spin; tell NULL: never */
    struct hazards *hazards;            /* that the run adds to (NULL: not checked) */
    struct check *check;                /* of functional launches, that the run adds to (NULL: nothing is checked) */
    bool pass_outside;                  /* accesses outside of allocations pass in mapped pages, as on hardware */
    struct gpu_outside outside;         /* told of these where `check` is not; tell NULL: they are faults then */
    bool strict_hazards;                /* timed runs: consumers that issue too early read old values (gpu/strict.h) */
    FILE *output;                       /* of the programs' output (NULL: standard output) */
    const struct sm_observer *observer; /* of timed runs (NULL: none) */
    bool visible_memory;                /* as memory_create_visible: device addresses belong to this process */
    struct line_profile *lines;         /* filled by each timed launch, instruction by instruction (NULL: none) */
    struct sample_series *samples;      /* filled by each timed launch (NULL: none) */
    struct run_log *log;                /* to which timed launches add; warps only with `lines` (NULL: none) */
    bool passes_damage;                 /* replays: warps end where their streams are damaged, and the run continues */
    struct plan *plan;                  /* the timed part (NULL: all but the part of `functional`). Borrowed */
    struct trace_writer *trace;         /* functional launches are recorded in it (NULL: none). Borrowed */
    bool trace_timed;                   /* timed launches too; one thread runs them then, whatever `threads` says */
    struct gpu_pause pause;             /* of timed launches and replays */
    bool serial_streams;                /* replays: kernels of different streams follow each other, too */
    bool every_launch;                  /* replays: launches that repeat an earlier one are timed again */

    const struct cta_schedule *schedule; /* that timed launches follow (NULL: none). Borrowed */
    struct cta_schedule *places;         /* to which timed launches add where their CTAs run (NULL: none). Borrowed */
};

/* The configuration is copied. */
struct gpu *gpu_create(const struct config *config, const struct gpu_options *options, struct status *status);
void gpu_destroy(struct gpu *gpu);
const struct config *gpu_config(const struct gpu *gpu);
struct memory *gpu_memory(struct gpu *gpu);
/* Returns the sectors that the L2 has, and device memory has not yet, when a timed launch has ended; 0 before one. */
uint64_t gpu_unwritten_sectors(const struct gpu *gpu);

/* From the next launch on (NULL: no launch is recorded any more). */
void gpu_set_trace(struct gpu *gpu, struct trace_writer *trace);
/* The host has copied so many bytes to device memory: notes it in the trace, if there is one. */
bool gpu_trace_copy(struct gpu *gpu, uint64_t address, uint64_t bytes, uint64_t stream, struct status *status);

/* Loads a cubin image of the GPU's architecture (same major, minor not above). The module belongs to the GPU. */
struct exec_module *gpu_load(struct gpu *gpu, struct cubin_bytes image, const char *path, struct status *status);

/* Takes a module and its device variables away. No launch of it may be running. */
void gpu_unload(struct gpu *gpu, struct exec_module *module);

/* The plan's answer for a launch is its mode; PLAN_TIME leaves it as it is. */
enum gpu_mode { GPU_MODE_OF_OPTIONS, GPU_MODE_FUNCTIONAL, GPU_MODE_DETAILED };

struct gpu_launch {
    struct exec_module *module;
    const char *kernel;
    struct exec_dim grid, block;
    uint32_t dynamic_shared_bytes;
    const void *parameters;
    size_t parameter_bytes;
    const struct cubin_kernel *function; /* one of module->cubin.kernels, instead of the name (NULL: by name) */
    enum gpu_mode mode;                  /* GPU_MODE_OF_OPTIONS: as gpu_options.functional says */
    uint32_t stack_limit; /* bytes a thread, where the compiler does not know the call graph (0: EXEC_STACK_LIMIT) */
    uint64_t start_ns;    /* simulated time of the launch: %globaltimer at its cycle 0 */
    const struct exec_watch *watch;     /* of a functional launch (NULL: none) */
    const struct sm_observer *observer; /* of a timed launch (NULL: that of the options) */
    uint32_t shared_preferred;          /* bytes of shared memory that an SM should have at least; a hint */
    bool cooperative;        /* the grid can wait for itself: STATUS_USAGE when the GPU cannot hold all CTAs at once */
    uint64_t stream;         /* its number, for a trace */
    bool unrecorded;         /* left out of the trace */
    bool named;              /* as plan_launch.named */
    uint64_t likeness;       /* as gpu_plan_launch has found it (gpu/likeness.h) (0: unknown) */
    struct exec_dim cluster; /* CTAs of a cluster; 0 in x: as compiled. STATUS_USAGE when no GPC can hold one */
};

/* Asks the plan about a launch and sets its mode. To be called once for each launch in program order, also for one that
 * does not run because a saved run has it behind it. `of_kernel`: launches of this kernel before it. False, with
 * status, when the plan asks for missing features: launches that warm caches, or that are left out. */
bool gpu_plan_launch(struct gpu *gpu, struct gpu_launch *launch, uint64_t of_kernel, struct status *status);

/* Runs one kernel to its end, from cold caches. *result is filled as far as the run came, also when it fails or is
 * stopped (then result->complete is false). False: status says why. An interrupt is STATUS_INTERRUPTED. A launch that
 * the plan ends has not failed: result->stop names the reason. A trace that cannot be written is a failure, too. When
 * that was found out at the end, result->complete is true. */
bool gpu_launch(struct gpu *gpu, const struct gpu_launch *launch, struct kernel_result *result, struct status *status);

/* A launch that may run beside others. */
struct gpu_overlap {
    void *tag; /* names it (NULL: no launch) */
    struct gpu_launch launch;
    uint64_t cycle; /* of the launch, counted from that of the first */
    int priority;   /* of its stream: a smaller number goes first */
    bool dependent; /* it was launched to depend on a grid of which all CTAs have executed PREEXIT or ended */
    bool waits;     /* that grid is not complete: ACQBULK holds its warps until gpu_acquire */
};

/* The source of the launches, in their order. The functions are called between two quanta. */
struct gpu_overlaps {
    void *self;
    /* The next launch that has been made by `cycle`; out->tag == NULL: none, and *again is the cycle by which the
     * function is to be called again, UINT64_MAX: after an end or a PREEXIT. False, with status, ends all launches. */
    bool (*next)(void *self, uint64_t cycle, struct gpu_overlap *out, uint64_t *again, struct status *status);
    /* Each CTA of the launch has executed PREEXIT or has ended, the last at `cycle`; before `ended`. */
    void (*preexited)(void *self, void *tag, uint64_t cycle);
    /* It is over at `cycle`. status->code != STATUS_OK: it has failed, or another has. False ends all launches. */
    bool (*ended)(void *self, void *tag, const struct kernel_result *result, uint64_t cycle,
                  const struct status *status);
};

/* Returns whether launches may overlap: with options that look at one at a time they may not. */
bool gpu_can_overlap(const struct gpu *gpu);
/* Runs launches that overlap, from cold caches at the cycle 0 of the first until nothing is in flight and none is to
 * come. Their CTAs share SMs (gpu/tenants.h), in the order that gpu/placement.h tells. Launches are timed; `mode`,
 * `watch`, `observer` and `unrecorded` of a launch do not count, and `start_ns` is that of the first. A launch that
 * cannot begin has failed, and has a result without cycles. */
bool gpu_launch_all(struct gpu *gpu, const struct gpu_overlaps *overlaps, struct status *status);
/* The launches that it depends on are complete; to be called in gpu_overlaps' functions. */
void gpu_acquire(struct gpu *gpu, const void *tag);

/* Times a kernel of a trace as gpu_launch times one that it executes: the same rules, cycles and counters. Values are
 * not there: strict hazards, the device heap, printed text. result->module stays empty. Of a kernel that is not
 * complete the CTAs run that are there, and result->ctas counts those. Code whose control bits count must fit the GPU;
 * with core.dependence=scoreboard, or without control bits, any does. */
bool gpu_replay(struct gpu *gpu, const struct trace_kernel *kernel, struct kernel_result *result,
                struct status *status);

/* A command of a trace; `stream` is that of a copy. */
enum gpu_command_kind { GPU_COMMAND_NONE, GPU_COMMAND_KERNEL, GPU_COMMAND_COPY };
struct gpu_command {
    enum gpu_command_kind kind;
    const struct trace_kernel *kernel;
    uint64_t stream;
};

struct gpu_sequence {
    void *self;
    /* The next command of the list, GPU_COMMAND_NONE at its end. */
    bool (*next)(void *self, struct gpu_command *out, struct status *status);
    /* Once for each kernel, which can be closed now. Where status says that it failed: false ends the run; true, with
     * a status of STATUS_OK, passes over one that could not begin. result == NULL: the run is over, and it has not
     * begun. */
    bool (*ended)(void *self, const struct trace_kernel *kernel, const struct kernel_result *result,
                  struct status *status);
    /* Nothing is in flight. The run since nothing was took so many cycles. NULL: not called. */
    bool (*idle)(void *self, uint64_t cycles, struct status *status);
};

/* The kernels of a list, those in different streams at the same time (gpu/stream_order.h, gpu/placement.h): a launch
 * that finds nothing in flight begins as gpu_replay has it, from cold caches at cycle 0. A later one finds the L2 and
 * the network as they are. With options that look at one kernel at a time (hazards, lines, samples, pause, a
 * stable IPC) they follow each other, as with serial_streams. A limit of cycles or instructions ends all that is in
 * flight, and the list. */
bool gpu_replay_all(struct gpu *gpu, const struct gpu_sequence *sequence, struct status *status);

/* Returns whether a replay of the kernel alone would repeat an earlier launch, and take no time (gpu/repeats.h).
 * *trace: as kernel_result.trace. */
bool gpu_repeats(const struct gpu *gpu, const struct trace_kernel *kernel, uint64_t *trace);

/* Fills in the known facts of a traced kernel that is not replayed: its result without time. */
void gpu_replay_facts(const struct gpu *gpu, const struct trace_kernel *kernel, struct kernel_result *result);

/* With options.passes_damage: warps of the last kernel that ended early, and the mistake in the first of them. */
uint64_t gpu_replay_damage(const struct gpu *gpu, struct status *first);

/* The error inside the kernel of the last launch; kind EXEC_FAULT_NONE when that launch completed, or failed for
 * another reason than an error of its code (a wrong grid, a stop). */
const struct exec_fault_report *gpu_fault(const struct gpu *gpu);

/* How many CTAs of such a launch an SM can hold, and why. */
bool gpu_occupancy(const struct config *config, uint32_t registers, uint32_t threads, uint32_t shared_bytes,
                   struct occupancy *out, struct status *status);

#endif
