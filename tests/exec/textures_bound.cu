/* The kernels of textures.cu whose handle is an argument, so that the instruction names its place in the constant bank,
 * or a uniform register. */
#define BOUND
#include "textures.cu"
