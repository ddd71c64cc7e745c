/* Which mnemonics the opcode tables of Accel-Sim know: at one that its table does not have, it aborts. A table belongs
 * to a binary version; 70, 75, 80 and 86 have one in every release since 2024, 90 since version 2.0. */
#ifndef SUBCORE_ACCELSIM_STOCK_H
#define SUBCORE_ACCELSIM_STOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is there a table for this binary version, and in which releases? */
enum stock_version { STOCK_NEVER, STOCK_SINCE_2_0, STOCK_ALWAYS };
enum stock_version stock_version(uint32_t binary_version);

/* Does the table know this mnemonic (up to its first dot, `length` bytes)? True for versions without a table. */
bool stock_knows(uint32_t binary_version, const char *name, size_t length);

#endif
