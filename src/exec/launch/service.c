#include "exec/launch/service.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "exec/code/kernel.h"
#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/launch/output.h"
#include "exec/launch/service_texture.h"
#include "exec/memory/heap.h"
#include "exec/memory/pending.h"
#include "exec/tensor/tensor_pair.h"
#include "exec/warp.h"

enum { ARGUMENT = 4 }; /* the first register of the arguments */

static uint64_t argument64(const struct exec_warp *warp, unsigned lane, unsigned word)
{
    return warp->reg[ARGUMENT + word][lane] | (uint64_t)warp->reg[ARGUMENT + word + 1][lane] << 32;
}

/* ---- the functions --------------------------------------------------------------------------------------------- */

/* Sends the threads back. Those without a result yet stay where they are. */
static void give_back(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                      struct issued *out)
{
    if (!core->fault.code)
        (warp->stack ? exec_RET_60 : exec_RET)(core, warp, inst, lanes, out);
}

/* The call that has led here: a fault is reported with its place. */
static const struct exec_inst *caller(const struct exec_warp *warp, const struct exec_inst *inst, unsigned lane)
{
    enum { RETURN = 20 };
    const struct exec_kernel *kernel = warp->cta->launch->kernel;
    if (warp->stack)
        return inst;
    uint64_t address = warp->reg[RETURN][lane] | (uint64_t)warp->reg[RETURN + 1][lane] << 32;
    uint32_t pc;
    bool known = kernel_place(kernel, address, &pc) && pc >= 16 && pc / 16 <= kernel->count;
    return known ? &kernel->code[pc / 16 - 1] : inst;
}

/* int vprintf(const char *format, void *arguments) */
static void print(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                  struct issued *out)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        struct service_text text = {0};
        uint64_t format = argument64(warp, lane, 0);
        int count = service_format(core, warp, lane, format, argument64(warp, lane, 2), &text);
        if (count < 0) {
            free(text.text);
            exec_fault(core, warp, caller(warp, inst, lane), lane, EXEC_FAULT_OTHER,
                       "printf: the format at 0x%" PRIx64 " or an argument cannot be read", format);
            return;
        }
        output_add(core, &text);
        warp->reg[ARGUMENT][lane] = (uint32_t)count;
    }
    give_back(core, warp, inst, lanes, out);
}

/* void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t char_size) */
static void fail_assertion(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                           struct issued *out)
{
    (void)out;
    unsigned lane = lowest_bit32(lanes);
    struct service_text what = {0}, file = {0}, function = {0};
    bool good = service_append_string(core, warp, lane, argument64(warp, lane, 0), &what) &&
                service_append_string(core, warp, lane, argument64(warp, lane, 2), &file) &&
                service_append_string(core, warp, lane, argument64(warp, lane, 6), &function);
    struct exec_dim b = warp->cta->index, t = exec_thread(warp, lane);
    exec_fault(core, warp, caller(warp, inst, lane), lane, EXEC_FAULT_ASSERT,
               "%s:%" PRIu32 ": %s: block: [%" PRIu32 ",%" PRIu32 ",%" PRIu32 "], thread: [%" PRIu32 ",%" PRIu32
               ",%" PRIu32 "] Assertion `%s` failed%s",
               file.used ? file.text : "?", warp->reg[ARGUMENT + 4][lane], function.used ? function.text : "?", b.x,
               b.y, b.z, t.x, t.y, t.z, what.used ? what.text : "?", good ? "" : " (its text cannot be read)");
    free(what.text);
    free(file.text);
    free(function.text);
}

/* ---- the device heap ------------------------------------------------------------------------------------------- */

static bool add_request(struct exec_core *core, struct exec_request request)
{
    if (core->request_count == core->request_room) {
        uint32_t room = core->request_room ? 2 * core->request_room : 64;
        struct exec_request *grown = realloc(core->request, room * sizeof *grown);
        if (!grown)
            return false;
        core->request = grown;
        core->request_room = room;
    }
    core->request[core->request_count++] = request;
    return true;
}

static void answer(struct exec_core *core, const struct exec_request *request)
{
    struct exec_warp *warp = request->warp;
    uint32_t *const low = warp->reg[ARGUMENT], *const high = warp->reg[ARGUMENT + 1];
    if (request->frees) {
        if (request->value && !heap_free(core->memory->heap, request->value))
            exec_fault_core(core, EXEC_FAULT_OTHER, "free: 0x%" PRIx64 " was not allocated by malloc", request->value);
    } else {
        uint64_t address = heap_alloc(core->memory->heap, request->value);
        low[request->lane] = (uint32_t)address;
        high[request->lane] = (uint32_t)(address >> 32);
    }
    warp->answered |= 1u << request->lane;
}

void exec_serve(struct exec_core *core)
{
    bool frees = false;
    for (uint32_t i = 0; i < core->request_count; i++)
        frees |= core->request[i].frees;
    if (frees) /* its threads' stores to a block must not come after those of its next owner */
        pending_settle(core);
    for (uint32_t i = 0; i < core->request_count; i++)
        if (core->request[i].generation == core->request[i].warp->generation)
            answer(core, &core->request[i]);
    core->request_count = 0;
    tensor_pair_serve(core);
}

/* Threads wait in the function, going round, until exec_serve has answered them. */
static void use_heap(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                     bool frees, struct issued *out)
{
    for (uint32_t left = lanes & ~warp->asked; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        struct exec_request request = {warp, warp->generation, argument64(warp, lane, 0), (uint8_t)lane, frees};
        if (!add_request(core, request)) {
            exec_fault(core, warp, inst, lane, EXEC_FAULT_MEMORY, "no host memory for a call of malloc or free");
            return;
        }
    }
    warp->asked |= lanes;
    if (core->immediate)
        exec_serve(core);
    uint32_t done = lanes & warp->answered;
    if (warp->stack && done != lanes) { /* one program counter: all wait for the last */
        warp_current(warp)->pc = inst->isa.pc;
        warp_continue(warp, out);
        return;
    }
    warp->asked &= ~done;
    warp->answered &= ~done;
    if (done != lanes) {
        struct exec_path *waiting = warp_part(warp, lanes & ~done);
        waiting->pc = inst->isa.pc;
        if (!done) {
            warp_schedule(core, warp, inst, WARP_NEXT, out);
            return;
        }
    }
    give_back(core, warp, inst, done, out);
}

/* Textures with gradients. */
static void sample(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                   const char *name, struct issued *out)
{
    for (uint32_t left = lanes; left && !core->fault.code; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        service_gradient(core, warp, caller(warp, inst, lane), lane, name);
    }
    give_back(core, warp, inst, lanes, out);
}

bool service_launches(const char *text)
{
    static const char *const names[] = {"cudaLaunchDevice", "cudaGetParameterBuffer", "__cudaCDP", "cuda_syscall_cnp"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strstr(text, names[i]))
            return true;
    return false;
}

void exec_service(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    const struct exec_launch *launch = warp->cta->launch;
    const struct exec_kernel *kernel = launch->kernel;
    uint32_t symbol = kernel->service[(inst->isa.pc - kernel->services) / 16];
    const char *name = launch->module->cubin.symbols[symbol].name;
    if (strcmp(name, "vprintf") == 0)
        print(core, warp, inst, active, out);
    else if (strcmp(name, "__assertfail") == 0)
        fail_assertion(core, warp, inst, active, out);
    else if (strcmp(name, "malloc") == 0)
        use_heap(core, warp, inst, active, false, out);
    else if (strcmp(name, "free") == 0)
        use_heap(core, warp, inst, active, true, out);
    else if (service_is_gradient(name))
        sample(core, warp, inst, active, name, out);
    else if (service_launches(name))
        exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_UNSUPPORTED,
                   "not simulated: launches by device code (dynamic parallelism), of which %s is a part: launch that "
                   "kernel from the host",
                   name);
    else
        exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_UNSUPPORTED,
                   "not simulated: a call of %s, which the driver supplies", name);
}
