#include "driver/launch/sources.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/state/driver.h"
#include "driver/state/say.h"
#include "exec/code/kernel.h"
#include "isa/pascal.h"

static void fill_lines(struct source_kernel *to, const struct exec_module *module, const struct exec_kernel *kernel)
{
    struct cubin_line *rows = NULL;
    size_t count = cubin_lines(&module->cubin, kernel->cubin, &rows), next = 0;
    for (uint32_t i = 0; i < to->profile.count && i < isa_code_count(module->sm, kernel->cubin->code.size); i++) {
        while (next < count && rows[next].pc <= 16 * i)
            next++;
        const char *file = next > 0 ? cubin_line_file(&module->cubin, rows[next - 1].file) : NULL;
        const char *directory = next > 0 ? cubin_line_directory(&module->cubin, rows[next - 1].file) : NULL;
        if (!file)
            continue;
        snprintf(to->row[i].file, sizeof to->row[i].file, "%s", file);
        snprintf(to->row[i].directory, sizeof to->row[i].directory, "%s", directory ? directory : "");
        to->row[i].line = rows[next - 1].line;
    }
    free(rows);
}

void sources_add(struct driver *driver, const struct gpu_launch *launch, uint64_t number, uint64_t cycles)
{
    struct device *device = &driver->device;
    struct status status = {0};
    if (!driver->settings.sources || device->lines.count == 0)
        return;
    const struct source_launch own = {(int32_t)getpid(), number, cycles};
    source_sum_samples(&device->sources, &own, &device->samples);
    const struct exec_kernel *kernel = exec_module_function(launch->module, launch->function, &status);
    struct source_kernel *k = kernel ? source_sum_add(&device->sources, launch->kernel, &device->lines) : NULL;
    if (!k || k->launches > 1)
        return;
    for (uint32_t i = 0; i < k->profile.count && i < kernel->count; i++) {
        const char *function = kernel_function(launch->module, kernel, 16 * i);
        k->row[i].inst = kernel->code[i].isa;
        k->row[i].service = 16 * i - kernel->services < 16 * kernel->service_count;
        snprintf(k->row[i].function, sizeof k->row[i].function, "%s", function ? function : "");
    }
    fill_lines(k, launch->module, kernel);
}

/* Later than anything that the program gave to atexit. */
__attribute__((destructor)) static void write_sources(void)
{
    struct driver *driver = driver_get();
    if (!driver->settings.sources || driver->device.checker != (int)getpid() || driver->device.sources.count == 0)
        return;
    FILE *file = fopen(driver->settings.sources, "abe");
    bool good = file && source_sum_write(&driver->device.sources, file);
    good = file && fclose(file) == 0 && good;
    if (!good)
        say("%s: counters of instructions cannot be written", driver->settings.sources);
}
