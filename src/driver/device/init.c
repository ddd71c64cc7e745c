/* The start of the driver, and functions that work before it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "driver/abi/api_device.h"
#include "driver/device/commands.h"
#include "driver/memory/allocation.h"
#include "driver/queue/queue.h"
#include "driver/state/call.h"
#include "driver/state/context.h"
#include "driver/state/profile.h"
#include "driver/state/say.h"

static void before_fork(void)
{
    pthread_mutex_lock(&driver_get()->lock);
    pthread_mutex_lock(&driver_get()->ranges.lock);
    pthread_mutex_lock(&driver_get()->ranges.blocks.lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&driver_get()->ranges.blocks.lock);
    pthread_mutex_unlock(&driver_get()->ranges.lock);
    pthread_mutex_unlock(&driver_get()->lock);
}

/* The executor thread is not there, and no thread of a profiler, which may hold its locks. */
static void in_child(void)
{
    struct driver *driver = driver_get();
    atomic_store(&subcore_profile.listener, NULL);
    driver->forked = driver->initialised;
    pthread_mutex_unlock(&driver->ranges.blocks.lock);
    pthread_mutex_unlock(&driver->ranges.lock);
    pthread_mutex_unlock(&driver->lock);
}

/* True for the first characters of "GPU-01234567-89ab-...", as many as tell it from other devices. */
static bool is_uuid(const CUuuid *uuid, const char *text, size_t length)
{
    char full[48] = "GPU-";
    size_t at = 4;
    for (size_t i = 0; i < sizeof uuid->bytes; ++i) {
        bool group = i == 4 || i == 6 || i == 8 || i == 10;
        at += (size_t)snprintf(full + at, sizeof full - at, group ? "-%02x" : "%02x", (unsigned char)uuid->bytes[i]);
    }
    return length > 4 && length <= at && strncasecmp(full, text, length) == 0;
}

/* CUDA_VISIBLE_DEVICES lists numbers or names "GPU-..." of devices up to the first that does not exist. */
static bool device_visible(const struct device *device)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    if (!list)
        return true;
    list += strspn(list, " ");
    char *end;
    long number = strtol(list, &end, 10);
    return (end != list && number == 0) || is_uuid(&device->uuid, list, strcspn(list, ", "));
}

static CUresult make_parts(struct driver *driver)
{
    driver->handles = handles_create();
    driver->allocations = allocations_create();
    driver->queue = queue_create(driver, command_handlers);
    driver->primary = driver->handles ? context_new(driver, 0) : NULL;
    if (!driver->handles || !driver->allocations || !driver->queue || !driver->primary)
        return CUDA_ERROR_OUT_OF_MEMORY;
    driver->primary->primary = true;
    pthread_atfork(before_fork, in_parent, in_child);
    driver->initialised = true;
    return CUDA_SUCCESS;
}

/* The environment is read once: an error in it is printed once, and stays an error. */
static CUresult start(struct driver *driver)
{
    struct status status = {0};
    driver->refusal = CUDA_ERROR_NO_DEVICE;
    if (!settings_read(&driver->settings, &status) || !device_open(&driver->device, &driver->settings, &status))
        say("%s", status.text);
    else if (device_visible(&driver->device))
        driver->refusal = CUDA_SUCCESS;
    return driver->refusal == CUDA_SUCCESS ? make_parts(driver) : driver->refusal;
}

CUresult cuInit(unsigned int Flags)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_ANY);
    if (Flags != 0)
        result = CUDA_ERROR_INVALID_VALUE;
    else if (call.driver->forked)
        result = CUDA_ERROR_NOT_INITIALIZED;
    else if (!call.driver->initialised)
        result = call.driver->refusal == CUDA_SUCCESS ? start(call.driver) : call.driver->refusal;
    return call_end(&call, result);
}

CUresult cuDriverGetVersion(int *driverVersion)
{
    if (!driverVersion)
        return CUDA_ERROR_INVALID_VALUE;
    *driverVersion = DRIVER_CUDA_VERSION;
    return CUDA_SUCCESS;
}
