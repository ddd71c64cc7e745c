/* The list of policies. */
#include "plan/policy.h"

#define POLICIES(X)                                                                                                    \
    X(detailed)                                                                                                        \
    X(fast_forward)                                                                                                    \
    X(first_ctas)                                                                                                      \
    X(hybrid)                                                                                                          \
    X(kernels)                                                                                                         \
    X(only_ctas)                                                                                                       \
    X(sample_ctas)                                                                                                     \
    X(sample_launches)                                                                                                 \
    X(until_cycles)                                                                                                    \
    X(until_insts)                                                                                                     \
    X(until_stable_ipc)                                                                                                \
    X(window)

#define DECLARE(name) extern const struct plan_policy plan_##name;
POLICIES(DECLARE)

#define ADDRESS(name) &plan_##name,
const struct plan_policy *const plan_policies[] = {POLICIES(ADDRESS) NULL};
