#include "driver/memory/host_link.h"

#include "driver/state/driver.h"

static const double GIGA = 1e9, MICRO = 1e-6;

static double dram_seconds(const struct driver *driver, uint64_t bytes)
{
    return (double)bytes / (driver->device.config.dram.bandwidth * GIGA);
}

struct cost copy_cost(const struct driver *driver, bool from_host, bool to_host, uint64_t bytes)
{
    const struct config_host *host = &driver->device.config.host;
    if (from_host && to_host)
        return (struct cost){ENGINE_NONE, 0};
    if (!from_host && !to_host)
        return (struct cost){ENGINE_COMPUTE, 2 * dram_seconds(driver, bytes)};
    double link = (from_host ? host->link_in : host->link_out) * GIGA;
    return (struct cost){from_host ? ENGINE_COPY_IN : ENGINE_COPY_OUT,
                         host->copy_latency * MICRO + (double)bytes / link};
}

struct cost set_cost(const struct driver *driver, uint64_t bytes)
{
    return (struct cost){ENGINE_COMPUTE, dram_seconds(driver, bytes)};
}
