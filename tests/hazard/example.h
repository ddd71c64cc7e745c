/* An example that is executed with a cubin of the caller's, and checked for hazards. */
#ifndef SUBCORE_TESTS_HAZARD_EXAMPLE_H
#define SUBCORE_TESTS_HAZARD_EXAMPLE_H

#include "cubin/cubin.h"
#include "examples/example.h"
#include "hazard/hazard.h"

enum { EXAMPLE_CODE = 4096, EXAMPLE_KERNELS = 8 };

/* Its compiled cubin. */
struct cubin_bytes example_image(const char *module, unsigned sm);

/* `hazards` may be NULL. So may `executed`, which gets the instructions of each kernel that some lane has executed. The
 * results must be right: control bits do not change the results of the functional machine. */
void example_check(const struct example *example, struct cubin_bytes image, struct hazards *hazards,
                   bool (*executed)[EXAMPLE_CODE]);

#endif
