// FP64 matrices: of chips that have FP64 units for them. For the others compilers write a chain of waits. See matrix.cuh.

#include "matrix.cuh"

MMA_211(f64_884, double, "d", "m8n8k4.row.col.f64.f64.f64.f64")

MATRIX(f64_884)
