/* The choice of launches that are timed: the list that --detailed gives. A rule is KERNEL, KERNEL:N, KERNEL:N-M or
 * KERNEL:N-, where N counts the launches of a kernel from 0.
 *
 * KERNEL is the mangled name; or the name in the source, with or without namespaces, with or without template arguments
 * ("scan", "ns::scan", "scan<float, 256>"); or a pattern of such a name with * and ?, as file names have. */
#ifndef SUBCORE_PLAN_SELECTION_H
#define SUBCORE_PLAN_SELECTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct selection_rule {
    char *kernel;
    uint64_t first, last; /* numbers of launches, both included */
};

struct selection {
    struct selection_rule *rules;
    size_t count;
};

/* Reads one rule per line. Empty lines do not count. On failure the selection is empty. */
bool selection_parse(struct selection *selection, const char *list, struct status *status);
void selection_free(struct selection *selection);

/* Returns true if a rule names this launch. `kernel` is the mangled name, `number` counts its launches
 * (record_number). */
bool selection_names(const struct selection *selection, const char *kernel, uint64_t number);
/* Does the same for one rule and a name that kernel_name has made (NULL: there is none). */
bool selection_rule_is(const struct selection_rule *rule, const char *mangled, const char *name);

#endif
