// Needs sm_90: clusters begin there. The kernels are those of the examples.
#include "../../examples/cluster.cu"
