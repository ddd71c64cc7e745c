/* Where each warp runs, for tests/exec/smid.c: out[CTA][warp] = {%smid, %nsmid, %warpid, %nwarpid}. */
extern "C" __global__ void where(uint4 *out)
{
    uint4 v;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(v.x));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(v.y));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(v.z));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(v.w));
    if (threadIdx.x % 32 == 0)
        out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = v;
}
