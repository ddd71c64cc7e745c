// flops: chains of FFMA on registers. Every FFMA reads three registers that no other FFMA of the step reads, so that
// the two register banks with one port each, not the FP32 lanes, set the pace.
// Shows: register read ports, and the gain of a second port or a wider bank.
enum { CHAINS = 16 };

extern "C" __global__ void __launch_bounds__(128) flops(const float *__restrict__ in, float *out, unsigned steps)
{
    unsigned at = blockIdx.x * 128 + threadIdx.x;
    float a[CHAINS], b[CHAINS], sum[CHAINS];
#pragma unroll
    for (int i = 0; i < CHAINS; i++) {
        a[i] = in[(at + i) % 128];
        b[i] = in[(at + i * 3 + 5) % 128];
        sum[i] = 0.0f;
    }
#pragma unroll 8
    for (unsigned s = 0; s < steps; s++)
#pragma unroll
        for (int i = 0; i < CHAINS; i++)
            sum[i] = fmaf(a[i], sum[i], b[i]);
    float total = 0.0f;
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        total += sum[i];
    out[at] = total;
}
