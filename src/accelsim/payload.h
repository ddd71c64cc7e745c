/* The addresses of a line. */
#ifndef SUBCORE_ACCELSIM_PAYLOAD_H
#define SUBCORE_ACCELSIM_PAYLOAD_H

#include <stdint.h>

/* Reads "MODE payload" for the lanes of the mask, and what may follow. NULL, or what is wrong. */
const char *payload_read(const char *at, uint32_t mask, uint64_t address[32]);

#endif
