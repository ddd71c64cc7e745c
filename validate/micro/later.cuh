// What sm_75 does not have. See units.cuh and matrix.cuh.

#include "matrix.cuh"

STEP32(hfma2_bf16, "fma.rn.bf16x2 %0, %0, %1, %2;")
STEP32(redux, "redux.sync.add.u32 %0, %0, -1;")

UNIT(hfma2_bf16)
UNIT(redux)

MMA_442(f16_f32_16816, "m16n8k16.row.col.f32.f16.f16.f32")
MMA_242(f16_f16_16816, "m16n8k16.row.col.f16.f16.f16.f16")
MMA_442(bf16_f32_16816, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_442(tf32_f32_1688, "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA_442(s8_16832, "m16n8k32.row.col.s32.s8.s8.s32")

MATRIX(f16_f32_16816)
MATRIX(f16_f16_16816)
MATRIX(bf16_f32_16816)
MATRIX(tf32_f32_1688)
MATRIX(s8_16832)
