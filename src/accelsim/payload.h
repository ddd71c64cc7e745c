/* The addresses of a line. */
#ifndef SUBCORE_ACCELSIM_PAYLOAD_H
#define SUBCORE_ACCELSIM_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

/* Reads "MODE payload" for the lanes of the mask, and the words that may follow. NULL, or the error. `path`: the
 * addresses are those of all lanes on the executing path, also of lanes that the mask lacks since their guard does
 * not hold. */
const char *payload_read(const char *at, uint32_t mask, bool path, uint64_t address[32]);

#endif
