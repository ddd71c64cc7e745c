/* Pairs of CTAs (cta_group::2): ranks 2k and 2k + 1 of a cluster, on the two SMs of a TPC. */
#ifndef SUBCORE_EXEC_TENSOR_PAIR_H
#define SUBCORE_EXEC_TENSOR_PAIR_H

#include "exec/exec.h"

/* Finds the CTAs of the warp's pair, by rank. In a timed run one thread runs the two SMs of a TPC, one after the other
 * (gpu/front.h), so that either may touch the memory of both. False, with a fault: the cluster has no such pair, or one
 * of the two has exited. */
bool tensor_pair_of(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                    struct exec_cta *cta[2]);

#endif
