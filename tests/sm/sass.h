/* Programs of assembled sm_86 instructions for the harness, under a scoreboard.
 *
 *   struct harness *h = sass_new(63);
 *   sass(h, "FFMA R1, R2, R3, R4");
 *   sass(h, "LDG.E R5, [R1]");
 *   uint64_t cycles = sass_distance(h, 0, 1);      runs and frees
 *
 * Global accesses hit the L1. */
#ifndef SUBCORE_TESTS_SM_SASS_H
#define SUBCORE_TESTS_SM_SASS_H

#include "sm/issue/scoreboard.h"
#include "tests/sm/harness.h"

struct harness *sass_new(uint32_t consumers);
/* The same on the legacy core, with GTO. Global accesses miss its L1 first. */
struct harness *sass_legacy(void);
/* Appends. Returns the number of the instruction. */
uint32_t sass(struct harness *h, const char *text);
/* Puts an EXIT behind and runs one warp. */
void sass_run(struct harness *h);
/* Cycles between the issues of two instructions in a program that ends here. */
uint64_t sass_distance(struct harness *h, uint32_t from, uint32_t to);

#endif
