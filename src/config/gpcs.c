#include "config/gpcs.h"

#include <stdlib.h>
#include <string.h>

enum { FULL = 16 }; /* SMs of a GPC on most chips */

static uint32_t div_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/* The first ones get the remainder. */
static void deal_evenly(struct gpcs *gpcs, const struct config_gpu *gpu)
{
    uint32_t tpcs = div_up(gpu->sms, gpu->sms_per_tpc);
    gpcs->count = div_up(tpcs * gpu->sms_per_tpc, FULL);
    for (uint32_t g = 0; g < gpcs->count; g++)
        gpcs->sms[g] = (tpcs / gpcs->count + (g < tpcs % gpcs->count)) * gpu->sms_per_tpc;
}

static bool wrong(const struct config_gpu *gpu, struct status *status)
{
    return status_fail(status, STATUS_CONFIG,
                       "gpu.gpcs = \"%s\": expected the SMs of each GPC, up to %d numbers from 1 to %d with a space "
                       "between them, or nothing",
                       gpu->gpcs, GPCS_MOST, GPCS_SMS);
}

/* Reads the text. An empty one gives no GPC. `room` is the sum. */
static bool read_list(struct gpcs *gpcs, uint32_t *room, const struct config_gpu *gpu, struct status *status)
{
    *gpcs = (struct gpcs){0};
    *room = 0;
    for (const char *at = gpu->gpcs; *at;) {
        char *end;
        unsigned long sms = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;
        if (sms < 1 || sms > GPCS_SMS || gpcs->count == GPCS_MOST || (*end != ' ' && *end != '\0'))
            return wrong(gpu, status);
        if (sms % gpu->sms_per_tpc != 0)
            return status_fail(status, STATUS_CONFIG,
                               "gpu.gpcs = \"%s\": %lu is not a multiple of gpu.sms_per_tpc = %u", gpu->gpcs, sms,
                               gpu->sms_per_tpc);
        gpcs->sms[gpcs->count++] = (uint32_t)sms;
        *room += (uint32_t)sms;
        at = end + strspn(end, " ");
    }
    return true;
}

bool gpcs_match(const struct config_gpu *gpu, struct status *status)
{
    struct gpcs gpcs;
    uint32_t room;
    if (!read_list(&gpcs, &room, gpu, status))
        return false;
    return gpcs.count == 0 || room == gpu->sms ||
           status_fail(
               status, STATUS_CONFIG,
               "gpu.sms = %u, but the GPCs of gpu.gpcs = \"%s\" have %u SMs: give gpu.gpcs the SMs of each GPC, "
               "or \"\", which deals them evenly",
               gpu->sms, gpu->gpcs, room);
}

bool gpcs_parse(struct gpcs *gpcs, const struct config_gpu *gpu, struct status *status)
{
    uint32_t room;
    if (!read_list(gpcs, &room, gpu, status))
        return false;
    if (gpcs->count == 0)
        deal_evenly(gpcs, gpu);
    else if (room < gpu->sms)
        return status_fail(
            status, STATUS_CONFIG,
            "gpu.gpcs = \"%s\" has room for %u SMs, gpu.sms = %u (--set 'gpu.gpcs=\"\"' deals them evenly)", gpu->gpcs,
            room, gpu->sms);
    return true;
}
