/* Subcore as a library: a simulated NVIDIA GPU inside a C or C++ program. Link with -lsubcore (pkg-config subcore).
 *
 *     struct subcore_error error = {0};
 *     struct subcore_gpu *gpu = subcore_open(&(struct subcore_options){.gpu = "a100"}, &error);
 *     struct subcore_module *module = subcore_load_file(gpu, "vecadd.cubin", &error);
 *     uint64_t x = subcore_alloc(gpu, bytes, &error);
 *     ...
 *     subcore_run(gpu, &launch, &statistics, &error);
 *
 * Functions that can fail return false, NULL or 0 and fill *error, which may be NULL. Arguments that are wrong are
 * errors. The exceptions are pointers to objects of this library and to memory of the caller, which must be right.
 *
 * A GPU and all that belongs to it may be used by one thread at a time, different GPUs by different threads. Device
 * addresses are numbers, not pointers. Structs that the caller fills begin as {0}: a value of 0 in a later version's
 * new members keeps today's behaviour. Results are the same on every run and for every number of host threads. */
#ifndef SUBCORE_SUBCORE_H
#define SUBCORE_SUBCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SUBCORE_API __attribute__((visibility("default")))

/* Returns the version of the running library, such as "0.1.0". */
SUBCORE_API const char *subcore_version(void);

/* ---- errors ------------------------------------------------------------------------------------------------------ */

enum subcore_code {
    SUBCORE_OK = 0,
    SUBCORE_ARGUMENT,    /* a value that the function does not take, or that the GPU or kernel does not allow */
    SUBCORE_FILE,        /* a file cannot be read */
    SUBCORE_FORMAT,      /* a file or image is malformed, or has nothing for this GPU */
    SUBCORE_CONFIG,      /* an unknown GPU, or a key or value that the configuration lacks */
    SUBCORE_MEMORY,      /* no memory is left, on the host or on the device */
    SUBCORE_UNSUPPORTED, /* right, but not simulated */
    SUBCORE_FAULT,       /* the kernel did something illegal (subcore_last_fault describes it) */
    SUBCORE_DEADLOCK,    /* threads of the kernel wait for an event that cannot come */
    SUBCORE_STOPPED      /* by subcore_stop */
};

struct subcore_error {
    enum subcore_code code;
    char text[480]; /* one sentence: the error, its place, its reason */
};

/* ---- GPUs -------------------------------------------------------------------------------------------------------- */

struct subcore_gpu;

struct subcore_options {
    const char *gpu;        /* a name that `subcore gpus` lists, or the path of a .toml file (NULL: "rtx-a6000") */
    const char *const *set; /* assignments such as "core.rfc=false", as --set of the command line takes them */
    size_t set_count;
    unsigned threads; /* of the host, for detailed launches: 1 to 256 (0: 1) */
    FILE *output;     /* of printf in kernels (NULL: stdout) */
};

/* Makes a GPU with empty memory. `options` may be NULL. */
SUBCORE_API struct subcore_gpu *subcore_open(const struct subcore_options *options, struct subcore_error *error);
/* Frees its modules too. NULL is allowed. */
SUBCORE_API void subcore_close(struct subcore_gpu *gpu);

struct subcore_facts {
    const char *name;      /* "NVIDIA A100-SXM4-40GB", lives as long as the GPU */
    unsigned architecture; /* 80 for sm_80 */
    unsigned sms;
    double clock_mhz;
    uint64_t memory_bytes;
    double memory_bandwidth; /* bytes a second, as the data sheet has it */
    unsigned warps_per_sm, registers_per_sm;
    uint64_t shared_bytes_per_cta; /* the most that a CTA can have */
};

SUBCORE_API void subcore_gpu_facts(const struct subcore_gpu *gpu, struct subcore_facts *facts);

/* ---- code -------------------------------------------------------------------------------------------------------- */

struct subcore_module;
struct subcore_kernel;

/* Loads code for this GPU from a cubin, a fatbin, or an executable or object file that nvcc has made. It takes the
 * image of each fatbin container that the driver would take, without PTX. */
SUBCORE_API struct subcore_module *subcore_load_file(struct subcore_gpu *gpu, const char *path,
                                                     struct subcore_error *error);
/* The same from memory, which may be freed afterwards. `name` stands for the path in messages (NULL: "image"). */
SUBCORE_API struct subcore_module *subcore_load(struct subcore_gpu *gpu, const void *image, size_t bytes,
                                                const char *name, struct subcore_error *error);
SUBCORE_API void subcore_unload(struct subcore_gpu *gpu, struct subcore_module *module);

/* Finds a kernel by its name as nvcc mangles it, or, if that is unambiguous, without parameters and namespaces. The
 * kernel lives as long as the module. */
SUBCORE_API const struct subcore_kernel *subcore_kernel(struct subcore_module *module, const char *name,
                                                        struct subcore_error *error);
/* Returns a kernel of a module by its number, from 0 (NULL past the end). */
SUBCORE_API const struct subcore_kernel *subcore_kernel_at(struct subcore_module *module, size_t index);

struct subcore_kernel_facts {
    const char *name;                     /* mangled, lives as long as the module */
    unsigned architecture;                /* that the code was compiled for */
    uint32_t registers;                   /* a thread */
    uint32_t shared_bytes;                /* static, a CTA */
    uint32_t local_bytes;                 /* a thread, without the stack of unknown call graphs */
    uint32_t parameters, parameter_bytes; /* how many, and the size of the block that holds them */
    uint32_t max_threads;                 /* a CTA, as __launch_bounds__ says (0: no such bound) */
};

SUBCORE_API void subcore_kernel_facts(const struct subcore_kernel *kernel, struct subcore_kernel_facts *facts);
/* Writes the offset in the block and the size of a parameter, from 0. Returns false past the end. */
SUBCORE_API bool subcore_kernel_parameter(const struct subcore_kernel *kernel, uint32_t index, uint32_t *offset,
                                          uint32_t *bytes);
/* Writes the instruction at a pc as the vendor's disassembler prints it. Returns its length without the final 0, or 0
 * if there is none. Text that does not fit is cut. */
SUBCORE_API size_t subcore_sass(const struct subcore_kernel *kernel, uint32_t pc, char *text, size_t size);

/* Returns the device address of a __device__ or __constant__ variable by its name in the cubin, and writes its size. */
SUBCORE_API uint64_t subcore_variable(struct subcore_module *module, const char *name, uint64_t *bytes,
                                      struct subcore_error *error);

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Allocates zero-filled device memory and returns its address, a multiple of 256 and never 0. Addresses depend only on
 * the sequence of calls. 0 bytes count as 1. */
SUBCORE_API uint64_t subcore_alloc(struct subcore_gpu *gpu, uint64_t bytes, struct subcore_error *error);
SUBCORE_API bool subcore_free(struct subcore_gpu *gpu, uint64_t address, struct subcore_error *error);

/* Copy bytes within one allocation from or to the host. Copies take no simulated time. */
SUBCORE_API bool subcore_write(struct subcore_gpu *gpu, uint64_t to, const void *from, uint64_t bytes,
                               struct subcore_error *error);
SUBCORE_API bool subcore_read(struct subcore_gpu *gpu, void *to, uint64_t from, uint64_t bytes,
                              struct subcore_error *error);
/* Copies from device memory to device memory. The ranges may overlap. */
SUBCORE_API bool subcore_copy(struct subcore_gpu *gpu, uint64_t to, uint64_t from, uint64_t bytes,
                              struct subcore_error *error);
SUBCORE_API bool subcore_fill(struct subcore_gpu *gpu, uint64_t to, uint8_t value, uint64_t bytes,
                              struct subcore_error *error);

/* ---- watching ---------------------------------------------------------------------------------------------------- */

/* An instruction that a warp issues. */
struct subcore_issue {
    const struct subcore_kernel *kernel;
    uint32_t pc;    /* bytes from the kernel's start (subcore_sass has the text) */
    uint32_t lanes; /* bit n: lane n executes it */
    uint32_t sm;    /* 0 in functional launches */
    uint32_t slot;  /* of the SM's warp slots */
    uint32_t warp;  /* in its CTA */
    uint64_t cta;   /* x + y * grid x + z * grid x * grid y */
    uint64_t cycle; /* from the launch on. Functional launches: how many instructions came before */
};

enum subcore_space { SUBCORE_GLOBAL, SUBCORE_SHARED, SUBCORE_LOCAL, SUBCORE_CONSTANT };
enum subcore_access_kind { SUBCORE_LOAD, SUBCORE_STORE, SUBCORE_ATOMIC, SUBCORE_COPY_TO_SHARED };

/* An issued instruction that accesses memory. */
struct subcore_access {
    struct subcore_issue issue;
    enum subcore_space space; /* of a generic access to several spaces: that of the lanes in `lanes` */
    enum subcore_access_kind kind;
    uint32_t lanes; /* that access it */
    uint32_t bytes; /* a lane */
    /* [32], for each of these lanes. Global: the device address. Shared: the offset in the CTA's shared memory. Local:
     * the device address at which it is kept, interleaved by lanes. Constant: bank times 65536 and offset. */
    const uint64_t *address;
};

/* Called while the kernel runs, from any thread of the simulation, but one call at a time. The instructions of an SM
 * come in the order of its cycles. With one host thread the order of all is the same in every run. The callbacks must
 * not call functions that take the GPU. */
struct subcore_watch {
    void *self;
    void (*issue)(void *self, const struct subcore_issue *issue);    /* NULL: not wanted */
    void (*access)(void *self, const struct subcore_access *access); /* NULL: not wanted */
};

/* ---- launches ---------------------------------------------------------------------------------------------------- */

struct subcore_launch {
    const struct subcore_kernel *kernel;
    uint32_t grid[3], block[3]; /* x, y, z: CTAs, threads of a CTA. A 0 in y or z counts as 1 */
    uint32_t shared_bytes;      /* dynamic, a CTA */
    /* One of the two, as for cuLaunchKernel: pointers to the values of the parameters in their order, or the whole
     * block as a C struct of the same members has it. */
    const void *const *arguments;
    const void *parameters;
    size_t parameter_bytes;
    bool functional;                   /* execute only, many times faster: no cycles and no counters of the timing */
    bool cooperative;                  /* the grid may wait for itself. All its CTAs must fit the GPU at once */
    uint32_t stack_bytes;              /* a thread, where the compiler does not know the call graph (0: 1024) */
    uint64_t start_ns;                 /* of the simulated time: the first value of %globaltimer */
    const struct subcore_watch *watch; /* NULL: none */
    uint32_t cluster[3];               /* x, y, z: CTAs of a cluster; 0 in x: as the kernel was compiled, or none */
    /* NULL: `functional` decides. "detailed" and "functional" are its two values. "sampled" times some CTA waves and
     * executes the others. "hybrid" times one SM, with a model of reuse distances behind it. */
    const char *fidelity;
    double error; /* that a sampled launch aims at, 0.01 to 50 percent (0: 3) */
};

struct subcore_statistics {
    bool detailed; /* false: executed only, and values that depend on time are 0 */
    bool complete; /* false: an error ended it, and the values count until then */
    uint64_t ctas, ctas_done;
    uint64_t warp_instructions, thread_instructions;
    uint64_t cycles;        /* from the launch to the end of the last CTA. A sampled or hybrid launch has an estimate */
    uint64_t launch_cycles; /* of these, before the first CTA */
    double seconds;         /* simulated: cycles at the GPU's clock */
    uint32_t sms_used;
    uint32_t ctas_per_sm, warps_per_sm; /* that an SM can hold */
    uint64_t dram_read_bytes, dram_write_bytes;
    uint64_t l2_read_sectors, l2_read_hit_sectors; /* of 32 bytes */
    uint64_t l1_load_sectors, l1_load_hit_sectors;
    double host_seconds; /* wall time of the simulation: the only value that differs between runs */
    /* Only some CTAs were timed, and the counters are theirs. A hybrid launch has traffic for all SMs. */
    bool sampled;
    double half_width;             /* half of the 95 % interval of a sampled launch's cycles, or infinity */
    uint64_t untimed_instructions; /* warp instructions that were executed without time */
};

/* Runs one kernel to its end, from cold caches. `statistics` may be NULL. A failed launch fills it, too. */
SUBCORE_API bool subcore_run(struct subcore_gpu *gpu, const struct subcore_launch *launch,
                             struct subcore_statistics *statistics, struct subcore_error *error);

/* Ends the running launch soon, from another thread or a signal handler. The next one is not affected. */
SUBCORE_API void subcore_stop(struct subcore_gpu *gpu);

/* A counter of the last launch. Its name has its kind: an SM ("sm.inst_executed"), the memory system ("mem."),
 * warp-cycles by stall reason ("stall."), scheduler cycles by event ("cycle."), instructions by pipe ("pipe."). */
struct subcore_counter {
    const char *name, *unit, *text; /* text: a sentence about the count */
    uint64_t value;
};

/* Returns the number of counters. */
SUBCORE_API size_t subcore_counters(void);
/* Reads a counter by its number, from 0. Returns false past the end. */
SUBCORE_API bool subcore_counter_at(const struct subcore_gpu *gpu, size_t index, struct subcore_counter *counter);
/* Reads a counter by its name. Returns false if there is none of that name. */
SUBCORE_API bool subcore_counter(const struct subcore_gpu *gpu, const char *name, uint64_t *value);

/* ---- faults ------------------------------------------------------------------------------------------------------ */

enum subcore_fault_kind {
    SUBCORE_FAULT_NONE,
    SUBCORE_FAULT_ADDRESS,     /* nothing is allocated there */
    SUBCORE_FAULT_MISALIGNED,  /* the address is no multiple of the access's size */
    SUBCORE_FAULT_INSTRUCTION, /* a word that is no instruction */
    SUBCORE_FAULT_PC,          /* a jump to an address without code */
    SUBCORE_FAULT_SPACE,       /* an operation that the address's memory does not have */
    SUBCORE_FAULT_STACK,       /* the stack is too small */
    SUBCORE_FAULT_ASSERT,
    SUBCORE_FAULT_TRAP,
    SUBCORE_FAULT_UNSUPPORTED, /* right, but not simulated */
    SUBCORE_FAULT_MEMORY,      /* the host has no memory left */
    SUBCORE_FAULT_DEADLOCK,
    SUBCORE_FAULT_OTHER /* a misuse of barriers, printf or the device heap */
};

struct subcore_fault {
    enum subcore_fault_kind kind;
    const char *kind_name; /* "illegal address" */
    char kernel[256];
    bool has_place; /* the next five say where */
    uint32_t pc;
    char sass[160];
    uint32_t cta[3], warp; /* the warp in its CTA */
    int lane;              /* -1: no one lane is to blame */
    bool has_address;
    uint64_t address; /* global: of the device, shared and local: the offset */
    char text[400];   /* the fault, without the place */
};

/* Returns the fault of the last launch (false when there was none). */
SUBCORE_API bool subcore_last_fault(const struct subcore_gpu *gpu, struct subcore_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
