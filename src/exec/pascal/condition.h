/* Pascal's condition code: four flags of each thread, as lane masks. */
#ifndef SUBCORE_EXEC_CONDITION_H
#define SUBCORE_EXEC_CONDITION_H

#include "exec/warp_state.h"

/* Flags of a result, a bit for each lane. */
struct condition {
    uint32_t zero, sign, carry;
    uint32_t overflow; /* or a sum of three has carried two */
};

/* Sets the flags of these lanes. */
void condition_set(struct exec_warp *warp, uint32_t lanes, struct condition flags);
/* Returns the lanes whose flags meet a test, a number of the table TEST_NAME in pascal_names.def. Sets *known to false
 * if the test is one of those for graphics. */
uint32_t condition_test(const struct exec_warp *warp, unsigned test, bool *known);

#endif
