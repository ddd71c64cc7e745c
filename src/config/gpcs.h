/* gpu.gpcs: how many SMs each GPC has, as a text of numbers ("16 16 14"). Parts are harvested unequally, so it is a
 * list. Empty: GPCs of up to 16 SMs, as even as whole TPCs allow. */
#ifndef SUBCORE_CONFIG_GPCS_H
#define SUBCORE_CONFIG_GPCS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "config/config.h"

enum { GPCS_MOST = 16, GPCS_SMS = 32 /* in a GPC */ };

struct gpcs {
    uint32_t count;
    uint32_t sms[GPCS_MOST]; /* room for so many */
};

/* False, with a message, when the text is not such a list or has room for less than gpu.sms. */
bool gpcs_parse(struct gpcs *gpcs, const struct config_gpu *gpu, struct status *status);

/* Returns whether the GPCs of the list have gpu.sms SMs together. An empty list fits. */
bool gpcs_match(const struct config_gpu *gpu, struct status *status);

#endif
