/* Groups of its warpgroup's matrix products (gsb0) that a warp has ended and that are not complete. */
#ifndef SUBCORE_SM_PRODUCT_GROUPS_H
#define SUBCORE_SM_PRODUCT_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

struct product_groups {
    uint16_t pending;
    uint8_t allowed; /* of a warp that waits: it continues when no more are pending */
    bool waits;
};

#endif
