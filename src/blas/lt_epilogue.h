/* Epilogues that need a kernel after the product: bias gradients, and the bits that ReLU keeps. */
#ifndef SUBCORE_BLAS_LT_EPILOGUE_H
#define SUBCORE_BLAS_LT_EPILOGUE_H

#include "blas/product.h"

/* Bits of cublasLtEpilogue_t that enum gemm_step lacks, as documented. */
enum lt_step { LT_BIAS_GRADIENT_A = 256, LT_BIAS_GRADIENT_B = 512 };

/* Returns true if the documentation has this epilogue. */
bool lt_epilogue_known(uint32_t epilogue);

/* Returns the bits of all epilogues. */
uint32_t lt_epilogue_mask(void);

/* Returns the steps of an epilogue that the product's own kernel performs. */
unsigned lt_epilogue_steps(uint32_t epilogue);

/* Returns true if there are kernels for the rest of an epilogue, given the product's types. */
bool lt_epilogue_possible(uint32_t epilogue, const struct product *product);

/* Returns CUBLAS_STATUS_INVALID_VALUE if a vector or an auxiliary matrix is missing or too small. */
cublasStatus_t lt_epilogue_check(uint32_t epilogue, const struct product *product);

/* Starts the rest of an epilogue, after its product in the stream. */
cublasStatus_t lt_epilogue_run(const struct blas *blas, uint32_t epilogue, const struct product *product,
                               CUstream stream);

#endif
