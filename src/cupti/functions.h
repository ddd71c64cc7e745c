/* The functions that profilers see, and their documented numbers (callback ids). */
#ifndef SUBCORE_CUPTI_FUNCTIONS_H
#define SUBCORE_CUPTI_FUNCTIONS_H

#include <stdint.h>

#include "driver/abi/profile.h"

enum { FUNCTION_NUMBERS = 1024 }; /* all numbers are below */

/* Returns the number of a function (0: it has none). */
uint32_t function_number(enum profile_api api, const char *name);
/* Returns its name (NULL: no function of ours has the number). */
const char *function_name(enum profile_api api, uint32_t number);

#endif
