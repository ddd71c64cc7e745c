/* Kernels, on the executor thread. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cubin/kernel_name.h"
#include "driver/launch/kernel_execute.h"
#include "driver/launch/launches.h"
#include "driver/launch/sources.h"
#include "driver/module/module.h"
#include "driver/state/errors.h"
#include "driver/state/process_checks.h"
#include "driver/state/say.h"

/* ---- faults ------------------------------------------------------------------------------------------------------ */

static CUresult result_of_fault(enum exec_fault_kind kind)
{
    switch (kind) {
    case EXEC_FAULT_ADDRESS: return CUDA_ERROR_ILLEGAL_ADDRESS;
    case EXEC_FAULT_MISALIGNED: return CUDA_ERROR_MISALIGNED_ADDRESS;
    case EXEC_FAULT_INSTRUCTION: return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case EXEC_FAULT_PC: return CUDA_ERROR_INVALID_PC;
    case EXEC_FAULT_SPACE: return CUDA_ERROR_INVALID_ADDRESS_SPACE;
    case EXEC_FAULT_STACK: return CUDA_ERROR_HARDWARE_STACK_ERROR;
    case EXEC_FAULT_ASSERT: return CUDA_ERROR_ASSERT;
    case EXEC_FAULT_UNSUPPORTED: return CUDA_ERROR_NOT_SUPPORTED;
    case EXEC_FAULT_DEADLOCK: return CUDA_ERROR_LAUNCH_TIMEOUT;
    default: return CUDA_ERROR_LAUNCH_FAILED;
    }
}

static CUresult result_of_status(enum status_code code)
{
    switch (code) {
    case STATUS_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
    case STATUS_UNSUPPORTED: return CUDA_ERROR_NOT_SUPPORTED;
    default: return CUDA_ERROR_LAUNCH_FAILED;
    }
}

/* "pc 0x40 (STG.E [R2.64], R5; saxpy.cu:12), CTA (0, 0, 0), warp 0, lane 3" */
static void describe_place(const struct exec_fault_report *f, char *text, size_t size)
{
    char lane[24] = "";
    if (f->lane < EXEC_LANES)
        snprintf(lane, sizeof lane, ", lane %" PRIu32, f->lane);
    snprintf(text, size,
             ", pc 0x%04" PRIx32 " (%s%s%s), CTA (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "), warp %" PRIu32 "%s", f->pc,
             f->sass, f->line[0] ? "; " : "", f->line, f->cta.x, f->cta.y, f->cta.z, f->warp, lane);
}

static CUresult result_of(const struct exec_fault_report *fault, const struct status *status)
{
    return fault->kind != EXEC_FAULT_NONE ? result_of_fault(fault->kind) : result_of_status(status->code);
}

static CUresult explain(const struct exec_fault_report *fault, const char *kernel, const struct status *status)
{
    char name[RESULT_NAME], place[ISA_TEXT + 290] = "";
    bool known = fault->kind != EXEC_FAULT_NONE;
    CUresult result = result_of(fault, status);
    kernel_name(kernel, name, sizeof name);
    if (known && fault->has_place)
        describe_place(fault, place, sizeof place);
    say("error %d (%s): kernel %s%s: %s", (int)result, error_name(result), name, place,
        known ? fault->text : status->text);
    return result;
}

/* ---- a launch ---------------------------------------------------------------------------------------------------- */

/* Ends the program where --end asks for it: a limit has ended the launch, and nothing has executed the rest. The
 * program's output stays. */
static void end_at_limit(const struct kernel_result *result)
{
    if (!result_is_cut(result))
        return;
    say("the program ends here, as --end asks: %s has been reached", result_stop_option(result->stop));
    fflush(stdout);
    _exit(EXIT_SUCCESS);
}

/* A launch without time takes as long as the GPU needs at least. */
static double seconds_of(const struct config *config, const struct kernel_result *result)
{
    return result->estimate.value / (config->gpu.clock * 1e6);
}

/* Returns false if the function is gone: a graph may keep a command of a module that the program has unloaded. */
static bool function_lives(struct driver *driver, const struct CUfunc_st *function)
{
    pthread_mutex_lock(&driver->lock);
    bool lives = handle_is(driver->handles, HANDLE_FUNCTION, function) && function->module;
    pthread_mutex_unlock(&driver->lock);
    return lives;
}

/* --nvtx names ranges, and the launch is in none of them. */
static bool is_left_out(const struct execution *execution)
{
    return *execution->driver->settings.nvtx && !execution->place.chosen;
}

/* Tells whether the launch is timed, as far as the plan agrees. */
static bool is_timed(const struct execution *execution)
{
    const struct settings *settings = &execution->driver->settings;
    switch (execution->place.choice) {
    case BLOCK_TIMED: return true;
    case BLOCK_EXECUTED: return false;
    default: return (launches_get(execution->driver) || !settings->functional) && !is_left_out(execution);
    }
}

bool kernel_describe(const struct execution *execution, struct gpu_launch *launch)
{
    struct driver *driver = execution->driver;
    const struct kernel_command *command = &execution->command->kernel;
    const struct CUfunc_st *function = command->function;
    if (!function_lives(driver, function)) {
        say("a kernel was launched whose module has been unloaded");
        return false;
    }
    *launch = (struct gpu_launch){
        .module = function->module->exec,
        .kernel = function->cubin->name,
        .function = function->cubin,
        .grid = command->run.grid,
        .block = command->run.block,
        .cluster = command->run.cluster,
        .dynamic_shared_bytes = command->dynamic_shared_bytes,
        .parameters = command->parameters,
        .parameter_bytes = command->parameter_bytes,
        .mode = is_timed(execution) ? GPU_MODE_DETAILED : GPU_MODE_FUNCTIONAL,
        .stack_limit = (uint32_t)execution->context->limit[CU_LIMIT_STACK_SIZE],
        .start_ns = (uint64_t)(execution->begin * 1e9),
        .shared_preferred = command->shared_preferred,
        .cooperative = command->cooperative,
        .stream = execution->stream.in_trace,
        .named = execution->place.choice == BLOCK_TIMED,
    };
    return true;
}

static void tell_profiler(const struct execution *e, double begin, double end, const struct kernel_result *result)
{
    const struct kernel_command *k = &e->command->kernel;
    const struct cubin_kernel *code = k->function->cubin;
    uint32_t local = code->stack_bytes > code->frame_bytes ? code->stack_bytes : code->frame_bytes;
    profile_command(&(struct profile_command){
        .kind = PROFILE_KERNEL,
        .origin = e->origin,
        .begin = begin,
        .end = end,
        .context = e->context->id,
        .stream = e->stream.id,
        .kernel = {.name = code->name,
                   .grid = {k->run.grid.x, k->run.grid.y, k->run.grid.z},
                   .block = {k->run.block.x, k->run.block.y, k->run.block.z},
                   .cluster = {k->run.cluster.x, k->run.cluster.y, k->run.cluster.z},
                   .registers = code->registers,
                   .static_shared = function_static_shared(e->driver, k->function),
                   .dynamic_shared = k->dynamic_shared_bytes,
                   .local = local,
                   .priority = e->priority,
                   .timed = result->estimate.kind != ESTIMATE_BOUND},
    });
}

CUresult kernel_over(const struct execution *execution, const char *kernel, double begin, double end,
                     const struct kernel_result *result, const struct status *status, bool explained)
{
    struct driver *driver = execution->driver;
    struct launches *l = launches_get(driver);
    bool ok = status->code == STATUS_OK;
    const struct exec_fault_report *fault = gpu_fault(driver->device.gpu);
    CUresult error = ok ? CUDA_SUCCESS : explained ? result_of(fault, status) : explain(fault, kernel, status);
    const struct launch_info info = {.kernel = kernel,
                                     .stream = execution->stream.id,
                                     .scope = execution->place.scope,
                                     .order = execution->place.order,
                                     .left_out = ok && is_left_out(execution),
                                     .begin = begin,
                                     .end = end,
                                     .error = (int)error,
                                     .error_name = ok ? NULL : error_name(error)};
    if (l)
        launches_record(driver, l, &info, result);
    if (ok && execution->origin.correlation != 0)
        tell_profiler(execution, begin, end, result);
    return error;
}

CUresult kernel_execute(struct execution *execution)
{
    struct driver *driver = execution->driver;
    struct kernel_result result = {0};
    struct status status = {0};
    struct gpu_launch launch;
    if (!kernel_describe(execution, &launch))
        return CUDA_ERROR_INVALID_HANDLE;
    struct launches *l = launches_get(driver);
    uint64_t of_kernel = l ? record_number(&l->recorder, launch.kernel) : 0;
    char name[RESULT_NAME];
    kernel_name(launch.kernel, name, sizeof name);
    progress_start(&driver->device.progress, name);
    process_schedule_enter(&driver->device.schedule);
    bool ok = gpu_plan_launch(driver->device.gpu, &launch, of_kernel, &status) &&
              process_trace_launch(driver, &launch, of_kernel, &result, &status);
    process_schedule_leave(&driver->device.schedule);
    progress_end(&driver->device.progress);
    process_checks_tell(driver);
    sources_add(driver, &launch, l ? l->recorder.launches : 0, result.cycles);
    if (!ok && driver->device.stop)
        return CUDA_ERROR_LAUNCH_FAILED; /* no caller remains to receive the error */
    execution->cost = (struct cost){ENGINE_COMPUTE, seconds_of(&driver->device.config, &result)};
    CUresult error = kernel_over(execution, launch.kernel, execution->begin, execution->begin + execution->cost.seconds,
                                 &result, &status, false);
    if (ok)
        end_at_limit(&result);
    return error;
}
