/* The order in which a sub-core fetches for its warps. Each policy is a file src/sm/front/policy/fetch_order_NAME.c. */
#ifndef SUBCORE_SM_FETCH_POLICY_H
#define SUBCORE_SM_FETCH_POLICY_H

#include <stdint.h>

#include "config/config.h"

struct scheduler;

struct fetch_order_policy {
    const char *name, *summary;
    /* Returns the warp that fetches among `candidates`, at least two that have room in their buffers. */
    int (*choose)(const struct scheduler *s, uint16_t candidates, uint64_t now);
};

const struct fetch_order_policy *fetch_order_policy(enum config_fetch_order order);

#define FETCH_DECLARE_ORDER(constant, word, summary, policy) extern const struct fetch_order_policy policy;
POLICIES_FETCH_ORDER(FETCH_DECLARE_ORDER)

#endif
