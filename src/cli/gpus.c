#include <stdio.h>

#include "cli/command.h"
#include "config/config.h"

static bool row(const char *name, int width, struct status *status)
{
    struct config c;
    if (!config_load(&c, name, status))
        return false;
    printf("%-*s %-26s %-6s sm_%-4u %5u %5.0f MHz %5.1f MiB %5.0f GiB %8.0f  %s\n", width, name, c.gpu.name, c.gpu.chip,
           c.gpu.architecture, c.gpu.sms, c.gpu.clock, c.l2.size / 1048576.0, c.gpu.memory, c.dram.bandwidth,
           c.standard.name);
    return true;
}

static bool run(const struct cli_options *options, struct status *status)
{
    (void)options;
    printf("%-11s %-26s %-6s %-7s %5s %9s %9s %9s %8s  %s\n", "name", "product", "chip", "arch", "SMs", "clock", "L2",
           "DRAM", "GB/s", "kind");
    for (size_t i = 0; i < config_gpu_count(); i++)
        if (!row(config_gpu_name(i), 11, status))
            return false;
    printf("\nConfigurations of another simulator, for comparison (docs/legacy-core.md)\n");
    for (size_t i = 0; config_baseline_name(i); i++)
        if (!row(config_baseline_name(i), 15, status))
            return false;
    return true;
}

const struct command command_gpus = {
    .name = "gpus",
    .operands = "",
    .summary = "list the GPUs that can be simulated",
    .run = run,
};
