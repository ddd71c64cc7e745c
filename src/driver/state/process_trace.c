#include "driver/state/process_trace.h"

#include <unistd.h>

#include "driver/state/driver.h"
#include "driver/state/say.h"
#include "report/trace_path.h"
#include "trace/writer.h"

static void give_up(struct driver *driver, const struct status *status)
{
    struct process_trace *t = &driver->trace;
    say("%s; no trace is written", status->text);
    gpu_set_trace(driver->device.gpu, NULL);
    trace_writer_destroy(t->writer);
    t->writer = NULL;
    t->over = true;
}

static void program_name(char *name, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", name, size - 1);
    name[length > 0 ? length : 0] = '\0';
}

/* Returns true if there is a trace to write to. */
static bool begin(struct driver *driver)
{
    struct process_trace *t = &driver->trace;
    struct status status = {0};
    char path[4096], program[4096];
    if (t->writer || t->over || !driver->settings.trace)
        return t->writer != NULL;
    trace_path_of(driver->settings.trace, (int)getpid(), path, sizeof path);
    program_name(program, sizeof program);
    const struct trace_origin origin = {
        .program = program, .gpu = driver->device.config.gpu.name, .source = "functional execution"};
    t->process = getpid();
    if (selection_parse(&t->only, driver->settings.trace_only, &status))
        t->writer = trace_writer_create(path, &origin, &status);
    if (t->writer)
        gpu_set_trace(driver->device.gpu, t->writer);
    else
        give_up(driver, &status);
    return t->writer != NULL;
}

static bool wanted(struct driver *driver, const struct gpu_launch *launch, uint64_t number)
{
    const struct process_trace *t = &driver->trace;
    return launch->mode == GPU_MODE_FUNCTIONAL && begin(driver) &&
           (!t->only.count || selection_names(&t->only, launch->kernel, number));
}

/* The launch, with a trace that has failed left out. */
static bool run(struct driver *driver, struct gpu_launch *launch, struct kernel_result *result, struct status *status)
{
    bool ok = gpu_launch(driver->device.gpu, launch, result, status);
    if (ok || launch->unrecorded || status->code != STATUS_IO)
        return ok;
    give_up(driver, status);
    *status = (struct status){0};
    return result->complete || gpu_launch(driver->device.gpu, launch, result, status);
}

bool process_trace_launch(struct driver *driver, const struct gpu_launch *launch, uint64_t number,
                          struct kernel_result *result, struct status *status)
{
    struct process_trace *t = &driver->trace;
    struct gpu_launch chosen = *launch;
    pthread_mutex_lock(&t->lock);
    chosen.unrecorded = !wanted(driver, launch, number);
    t->launches += !chosen.unrecorded;
    if (chosen.unrecorded)
        pthread_mutex_unlock(&t->lock);
    bool ok = run(driver, &chosen, result, status);
    if (!chosen.unrecorded)
        pthread_mutex_unlock(&t->lock);
    return ok;
}

void process_trace_copy(struct driver *driver, uint64_t address, uint64_t bytes, uint64_t stream)
{
    struct status status = {0};
    if (!driver->settings.trace)
        return;
    pthread_mutex_lock(&driver->trace.lock);
    if (begin(driver) && !gpu_trace_copy(driver->device.gpu, address, bytes, stream, &status))
        give_up(driver, &status);
    pthread_mutex_unlock(&driver->trace.lock);
}

/* Later than anything that the program gave to atexit. In a child of the process that began the trace it does nothing:
 * the file is not the child's. */
__attribute__((destructor)) static void complete(void)
{
    struct driver *driver = driver_get();
    struct process_trace *t = &driver->trace;
    struct status status = {0};
    if (t->process != getpid())
        return;
    driver->device.stop = true;
    pthread_mutex_lock(&t->lock);
    if (t->writer && t->launches && !trace_writer_finish(t->writer, &status))
        say("%s; no trace is written", status.text);
    trace_writer_destroy(t->writer);
    t->writer = NULL;
    t->over = true;
    gpu_set_trace(driver->device.gpu, NULL);
    pthread_mutex_unlock(&t->lock);
}
