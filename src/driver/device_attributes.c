#include "driver/device.h"

bool device_attribute(const struct device *device, CUdevice_attribute attribute, int *value)
{
    const struct config *config = &device->config;
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = (int)config->gpu.sms; return true;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = (int)config->gpu.architecture / 10; return true;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = (int)config->gpu.architecture % 10; return true;
    default: *value = 0; return (int)attribute > 0 && attribute < CU_DEVICE_ATTRIBUTE_MAX;
    }
}
