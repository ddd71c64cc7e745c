/* Names and sentences of CUresult. */
#ifndef SUBCORE_DRIVER_ERRORS_H
#define SUBCORE_DRIVER_ERRORS_H

#include "driver/abi/result.h"

const char *error_name(CUresult result); /* NULL for numbers that are none */
const char *error_text(CUresult result);

#endif
