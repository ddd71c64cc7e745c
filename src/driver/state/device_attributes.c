#include "driver/state/device.h"

static unsigned bus_width(const struct config *config) { return config->dram.channels * config->standard.channel_bits; }

/* In kHz, so that twice the clock times the bus width is the bandwidth, as programs compute it. */
static double memory_clock(const struct config *config)
{
    return config->dram.bandwidth * 1e9 * 8 / bus_width(config) / 2 / 1e3;
}

/* CUDA C++ Programming Guide, throughput of arithmetic instructions: FP32 over FP64 results a cycle and SM. */
static unsigned double_ratio(const struct config *config)
{
    switch (config->gpu.architecture) {
    case 75: return 32;
    case 70:
    case 80:
    case 90:
    case 100: return 2;
    default: return 64;
    }
}

bool device_attribute(const struct device *device, CUdevice_attribute attribute, int *value)
{
    const struct config *config = &device->config;
    switch ((int)attribute) {
#define ATTRIBUTE(name, expression)                                                                                    \
    case CU_DEVICE_ATTRIBUTE_##name:                                                                                   \
        *value = (int)(expression);                                                                                    \
        return true;
#include "driver/state/device_attributes.def"
#undef ATTRIBUTE
    default: *value = 0; return (int)attribute > 0 && attribute < CU_DEVICE_ATTRIBUTE_MAX;
    }
}
