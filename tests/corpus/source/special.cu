// build plain:
typedef unsigned long long u64;
#define REG(name)                                                                                                      \
    __global__ void reg_##name(unsigned *out)                                                                          \
    {                                                                                                                  \
        unsigned v;                                                                                                    \
        asm volatile("mov.u32 %0, %%" #name ";" : "=r"(v));                                                            \
        out[threadIdx.x] = v;                                                                                          \
    }
#define REGD(name, reg)                                                                                                \
    __global__ void reg_##name(unsigned *out)                                                                          \
    {                                                                                                                  \
        unsigned v;                                                                                                    \
        asm volatile("mov.u32 %0, %%" reg ";" : "=r"(v));                                                              \
        out[threadIdx.x] = v;                                                                                          \
    }
#define REG64(name)                                                                                                    \
    __global__ void reg_##name(u64 *out)                                                                               \
    {                                                                                                                  \
        u64 v;                                                                                                         \
        asm volatile("mov.u64 %0, %%" #name ";" : "=l"(v));                                                            \
        out[threadIdx.x] = v;                                                                                          \
    }
REG(laneid)
REG(warpid)
REG(nwarpid)
REG(smid)
REG(nsmid)
REG(lanemask_eq)
REG(lanemask_le)
REG(lanemask_lt)
REG(lanemask_ge)
REG(lanemask_gt)
REG(clock)
REG(clock_hi)
REG(globaltimer_lo)
REG(globaltimer_hi)
REG(total_smem_size)
REG(dynamic_smem_size)
REG(pm0)
REG(pm3)
REG(pm7)
REG(envreg0)
REG(envreg3)
REG(envreg31)
REG64(clock64)
REG64(globaltimer)
REG64(gridid)
REG64(pm0_64)
REG64(pm5_64)
REGD(tid_x, "tid.x")
REGD(tid_y, "tid.y")
REGD(tid_z, "tid.z")
REGD(ntid_x, "ntid.x")
REGD(ntid_y, "ntid.y")
REGD(ntid_z, "ntid.z")
REGD(ctaid_x, "ctaid.x")
REGD(ctaid_y, "ctaid.y")
REGD(ctaid_z, "ctaid.z")
REGD(nctaid_x, "nctaid.x")
REGD(nctaid_y, "nctaid.y")
REGD(nctaid_z, "nctaid.z")
#if __CUDA_ARCH__ >= 800
REG(reserved_smem_offset_begin)
REG(reserved_smem_offset_end)
REG(reserved_smem_offset_cap)
REG(reserved_smem_offset_0)
#endif
#if __CUDA_ARCH__ >= 900
REG(cluster_ctarank)
REG(cluster_nctarank)
REG(aggr_smem_size)
REG64(current_graph_exec)
REGD(clusterid_x, "clusterid.x")
REGD(clusterid_y, "clusterid.y")
REGD(nclusterid_x, "nclusterid.x")
REGD(cluster_ctaid_x, "cluster_ctaid.x")
REGD(cluster_ctaid_z, "cluster_ctaid.z")
REGD(cluster_nctaid_x, "cluster_nctaid.x")
__global__ void explicit_cluster(unsigned *out)
{
    unsigned v;
    asm volatile("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}" : "=r"(v));
    out[0] = v;
}
#endif
__global__ void timed(u64 *out, float *x)
{
    u64 a = clock64(), g;
    unsigned c = clock();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
    float v = x[threadIdx.x];
    x[threadIdx.x] = v * v;
    out[threadIdx.x] = clock64() - a + (clock() - c) + g;
}
__global__ void whole_index(unsigned *out)
{
    unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z),
             b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[b * blockDim.x * blockDim.y * blockDim.z + t] = t ^ b;
}
