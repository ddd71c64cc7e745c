/* The simulated GPU as programs see it: one device, ordinal 0. */
#ifndef SUBCORE_DRIVER_DEVICE_H
#define SUBCORE_DRIVER_DEVICE_H

#include "config/config.h"
#include "driver/abi/device.h"
#include "driver/abi/device_structs.h"
#include "driver/state/process_schedule.h"
#include "gpu/gpu.h"
#include "report/progress.h"
#include "report/source_sum.h"

/* Where the device says that it sits: 0000:01:00.0. */
enum { DEVICE_PCI_BUS = 1 };

struct device {
    struct config config;
    struct gpu *gpu;                  /* made with the first context */
    struct line_profile lines;        /* of the last timed launch, where settings.sources asks for it */
    struct source_sum sources;        /* of all */
    struct sample_series samples;     /* of the last timed launch, with them */
    struct process_schedule schedule; /* by settings.schedule and settings.schedule_out */
    struct check check;               /* of its kernels, by settings.checks */
    int checker;                      /* id of the process that checks; its children do not */
    CUuuid uuid;                      /* depends on the name only */
    volatile bool stop;               /* the process exits: a kernel that runs is stopped */
    struct progress progress;         /* of the kernel that runs, on a terminal */
};

struct settings;

/* Reads the configuration that the settings name. */
bool device_open(struct device *device, const struct settings *settings, struct status *status);
/* Makes the GPU, unless it is there. Its plan is that of the settings. */
bool device_start(struct device *device, struct settings *settings, struct status *status);
size_t device_memory_bytes(const struct device *device);

/* The value of an attribute; false for numbers that are none. */
bool device_attribute(const struct device *device, CUdevice_attribute attribute, int *value);

#endif
