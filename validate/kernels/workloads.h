/* The workloads; list.c makes the table of them. */
#ifndef SUBCORE_VALIDATE_KERNELS_WORKLOADS_H
#define SUBCORE_VALIDATE_KERNELS_WORKLOADS_H

#include "workload.h"

extern const struct workload workload_needle;

#endif
