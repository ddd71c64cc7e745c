/* Names of NVTX: domains and registered strings, which a program holds addresses of. They stay until the process is
 * gone: a domain that is made again is the same. */
#ifndef SUBCORE_DRIVER_NVTX_NAMES_H
#define SUBCORE_DRIVER_NVTX_NAMES_H

#include "driver/nvtx/abi.h"
#include "driver/state/ranges.h"

struct nvtx_domain {
    struct nvtx_domain *next;
    char name[RANGE_DOMAIN];
};

struct nvtx_string {
    struct nvtx_string *next;
    char text[RANGE_NAME];
};

/* Return NULL if out of memory. */
const struct nvtx_domain *nvtx_domain_named(struct ranges *ranges, const char *name);
const struct nvtx_string *nvtx_string_new(struct ranges *ranges, const char *text);

/* Writes `from` in UTF-8, as much as fits. NULL is "". */
void nvtx_narrow(const wchar_t *from, char *to, size_t size);

/* Returns the name that an event has; `room` has place for it. */
const char *nvtx_event_name(const struct nvtx_event *event, char room[static RANGE_NAME]);

#endif
