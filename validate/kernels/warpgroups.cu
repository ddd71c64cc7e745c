// Needs sm_90a: products of warpgroups exist on Hopper only. The kernels are those of the examples.
#include "../../examples/wgmma.cu"
