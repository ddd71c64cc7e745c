/* One operation of those that CUDA orders in streams. It owns all it needs, can be copied, and can run any number of
 * times: a graph keeps commands as its nodes. */
#ifndef SUBCORE_DRIVER_COMMAND_H
#define SUBCORE_DRIVER_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/abi/enums.h"
#include "driver/abi/handles.h"
#include "driver/abi/result.h"
#include "driver/abi/stream_structs.h"
#include "driver/state/profile.h"
#include "driver/state/ranges.h"
#include "exec/sizes.h"

struct CUfunc_st;
struct driver;
struct mark;

enum command_kind {
    COMMAND_EMPTY,
    COMMAND_KERNEL,
    COMMAND_COPY,
    COMMAND_SET,
    COMMAND_HOST,   /* a function of the program, on the executor thread */
    COMMAND_RECORD, /* an event */
    COMMAND_WAIT,   /* for an event */
    COMMAND_WRITE_VALUE,
    COMMAND_WAIT_VALUE,
    COMMAND_FREE, /* cuMemFreeAsync */
    COMMAND_CALL, /* anything else, as a function of the driver with an argument */
    COMMAND_KINDS
};

struct kernel_command {
    struct CUfunc_st *function;
    struct exec_dim grid, block, cluster;     /* as the program asks; cluster.x == 0: it does not */
    struct exec_dim preferred_cluster;        /* x == 0: none; a hint */
    CUclusterSchedulingPolicy cluster_policy; /* a hint */
    struct {
        struct exec_dim grid, block, cluster;
    } run; /* the shape that the code makes of it: CTAs, threads, CTAs of a cluster, x == 0: no cluster */
    uint32_t dynamic_shared_bytes;
    uint8_t *parameters; /* owned: as they lie behind the parameter base */
    size_t parameter_bytes;
    uint32_t shared_preferred; /* bytes of an SM's shared memory (0: as the driver likes) */
    bool cooperative;
    bool programmatic; /* it may begin when all CTAs of the kernel before it have executed PREEXIT */
    bool preexits;     /* its code does */
    bool prioritised;  /* with its own priority, instead of the stream's */
    int priority;
};

enum copy_space { COPY_HOST, COPY_DEVICE, COPY_ARRAY };

/* Where a copy begins: a box's first byte, and how rows and slices follow. */
struct copy_end {
    enum copy_space space;
    uint64_t address;           /* device address or host pointer (COPY_ARRAY: unused) */
    struct CUarray_st *array;   /* COPY_ARRAY */
    size_t x, y, z;             /* bytes, rows, slices into address or array */
    size_t pitch, height;       /* bytes from row to row, rows from slice to slice */
    enum profile_memory memory; /* for profilers */
};

struct copy_command {
    struct copy_end from, to;
    size_t width, height, depth; /* bytes, rows, slices */
    uint8_t *staged;             /* owned copy of pageable host memory, rows packed (NULL: none) */
};

struct set_command {
    uint64_t address;
    size_t pitch;         /* bytes from row to row */
    size_t width, height; /* elements, rows */
    unsigned bytes;       /* of an element: 1, 2, 4 */
    uint32_t value;
    enum profile_memory memory; /* for profilers */
};

struct host_command {
    CUhostFn function;         /* or */
    CUstreamCallback callback; /* this one, with the stream as the program knows it */
    CUstream stream;
    void *data;
};

/* In a graph's node only the event: each launch makes a new mark of a record, and takes the event's mark of that moment
 * for a wait. */
struct event_command {
    struct CUevent_st *event; /* not looked behind once the command is submitted: it may be gone */
    struct mark *mark;        /* held: the mark of the record or the wait (NULL: none, do not wait) */
    unsigned flags;
};

struct value_command {
    uint64_t address, value;
    bool wide; /* 64 bits */
    unsigned flags;
};

struct call_command {
    CUresult (*function)(struct driver *driver, void *data); /* on the executor thread, without the lock */
    void (*release)(void *data);
    void *data; /* shared by copies of the command: used once */
};

struct command {
    enum command_kind kind;
    union {
        struct kernel_command kernel;
        struct copy_command copy;
        struct set_command set;
        struct host_command host;
        struct event_command event;
        struct value_command value;
        struct call_command call;
        uint64_t free_address;
    };
};

/* Its simulated time. */
enum engine { ENGINE_NONE, ENGINE_COMPUTE, ENGINE_COPY_IN, ENGINE_COPY_OUT, ENGINES };

struct cost {
    enum engine engine;
    double seconds;
};

bool command_copy(struct command *to, const struct command *from); /* false: out of memory */
void command_clear(struct command *command);

struct stream_number {
    uint64_t id;
    uint64_t in_trace; /* the same, but 0 of the legacy stream */
};

/* A command that the executor thread runs. */
struct execution {
    struct driver *driver;
    struct CUctx_st *context;
    const struct command *command;
    struct stream_number stream;
    struct range_place place;
    struct profile_origin origin;
    double begin;     /* simulated time at which the command starts if it needs the compute engine, in seconds */
    struct cost cost; /* out: none unless it is set */
    /* Of a command that runs beside others: */
    int priority;   /* a smaller number goes first */
    bool dependent; /* it begins before the one that it depends on has ended, which has let it; and waits for that: */
    bool waits;     /* until struct together's `acquire` */
};

/* Commands that run beside each other on the device, as their runner sees it. The functions are called on the
 * executor thread without the lock. Times are simulated, in seconds. */
struct together {
    struct driver *driver;
    void *self;
    double begin; /* of the first */
    /* The next command that begins by `now`; NULL: none, and *again is when to ask again, unless a command has let
     * others begin or has ended before. Returns when the simulated time may go on: not before a thread of the program
     * waits for something. */
    struct execution *(*next)(void *self, double now, double *again);
    /* The command has let those begin that depend on it in this way. */
    void (*released)(void *self, struct execution *execution, double time);
    /* It has ended, or has failed with `result`. */
    void (*ended)(void *self, struct execution *execution, double end, CUresult result);
    /* Set by their runner: the awaited work is complete. Called in `ended`. */
    void (*acquire)(void *runner, struct execution *execution);
    void *runner;
};

/* The functions of a command kind. The queue itself knows EMPTY, HOST, RECORD, WAIT and CALL. The other kinds
 * have a row each in a table that it is given (driver/device/commands.c). */
struct command_handler {
    /* Runs the command on the executor thread. An error other than CUDA_SUCCESS ends the context. NULL: no work. */
    CUresult (*execute)(struct execution *execution);
    /* Returns true if the command can run. It is asked again and again. NULL: always. */
    bool (*ready)(const struct driver *driver, const struct command *command);
    bool locked; /* `execute` runs with the driver's lock held, as `ready` does */
    /* Whether a command may run beside others of its kind; with the lock held. NULL: none may. */
    bool (*overlaps)(const struct driver *driver, const struct CUctx_st *context, const struct command *command,
                     const struct range_place *place);
    void (*run)(struct together *together); /* until none is left that may begin */
};

#endif
