// build plain:
// build debug: -G only=70,86,100
typedef cudaTextureObject_t texture_t;
typedef cudaSurfaceObject_t surface_t;
#define INDEX                                                                                                          \
    unsigned i = threadIdx.x;                                                                                          \
    float x = v[i], y = v[i + 1], z = v[i + 2], w = v[i + 3];
#define FETCH(name, T, call)                                                                                           \
    __global__ void name(T *out, texture_t t, const float *v, int layer, float k) { INDEX out[i] = call; }
#define ALL(T, s)                                                                                                      \
    FETCH(fetch1_##s, T, tex1Dfetch<T>(t, (int)i + layer))                                                             \
    FETCH(one_##s, T, tex1D<T>(t, x)) FETCH(two_##s, T, tex2D<T>(t, x, y)) FETCH(three_##s, T, tex3D<T>(t, x, y, z))   \
        FETCH(one_lod_##s, T, tex1DLod<T>(t, x, w)) FETCH(two_lod_##s, T, tex2DLod<T>(t, x, y, w))                     \
            FETCH(three_lod_##s, T, tex3DLod<T>(t, x, y, z, w)) FETCH(one_grad_##s, T, tex1DGrad<T>(t, x, y, z))       \
                FETCH(two_grad_##s, T, tex2DGrad<T>(t, x, y, make_float2(z, w), make_float2(w, x))) FETCH(             \
                    three_grad_##s, T, tex3DGrad<T>(t, x, y, z, make_float4(x, y, z, w), make_float4(w, x, y, z)))     \
                    FETCH(layer1_##s, T, tex1DLayered<T>(t, x, layer)) FETCH(layer2_##s, T,                            \
                                                                             tex2DLayered<T>(t, x, y, (int)i))         \
                        FETCH(layer1_lod_##s, T, tex1DLayeredLod<T>(t, x, layer, y))                                   \
                            FETCH(layer2_lod_##s, T, tex2DLayeredLod<T>(t, x, y, layer, z))                            \
                                FETCH(layer1_grad_##s, T, tex1DLayeredGrad<T>(t, x, layer, y, z))                      \
                                    FETCH(layer2_grad_##s, T,                                                          \
                                          tex2DLayeredGrad<T>(t, x, y, layer, make_float2(z, w), make_float2(w, x)))   \
                                        FETCH(cube_##s, T, texCubemap<T>(t, x, y, z))                                  \
                                            FETCH(cube_lod_##s, T, texCubemapLod<T>(t, x, y, z, w))                    \
                                                FETCH(cubes_##s, T, texCubemapLayered<T>(t, x, y, z, layer)) FETCH(    \
                                                    cubes_lod_##s, T, texCubemapLayeredLod<T>(t, x, y, z, layer, w))   \
                                                    FETCH(cube_grad_##s, T,                                            \
                                                          texCubemapGrad<T>(t, x, y, z, make_float4(x, y, z, w),       \
                                                                            make_float4(w, x, y, z)))
ALL(float, f)
ALL(float4, f4)
ALL(int2, i2)
ALL(uchar4, c4)
#define GATHER(T, s, n) FETCH(gather##n##_##s, T, tex2Dgather<T>(t, x, y, n))
#define GATHERS(T, s) GATHER(T, s, 0) GATHER(T, s, 1) GATHER(T, s, 2) GATHER(T, s, 3)
GATHERS(float4, f4)
GATHERS(int4, i4)
__global__ void many_textures(float *out, const texture_t *t, const float *v)
{
    INDEX out[i] = tex2D<float>(t[i & 3], x, y) + tex2D<float>(t[7], z, w) + tex1Dfetch<float>(t[i], 3);
}
__global__ void mixed(float *out, texture_t t, texture_t u, const float *v)
{
    INDEX float s = 0;
    for (int k = 0; k < 8; k++)
        s += tex2D<float>(t, x + k, y) * tex2D<float>(u, y, x - k);
    out[i] = s;
}
__global__ void partial(float2 *out, texture_t t, const float *v)
{
    INDEX float4 a = tex2D<float4>(t, x, y), b = tex3D<float4>(t, x, y, z);
    out[i] = make_float2(a.x + b.w, a.z * b.y);
}
#define TPTX(name, ptx, ...)                                                                                           \
    __global__ void ptx_##name(float4 *out, texture_t t, const float *v, const int *n)                                 \
    {                                                                                                                  \
        INDEX int p = n[i], q = n[i + 1], r = n[i + 2], s = n[i + 3];                                                  \
        float4 d;                                                                                                      \
        asm volatile(ptx : "=f"(d.x), "=f"(d.y), "=f"(d.z), "=f"(d.w) : "l"(t), __VA_ARGS__);                          \
        out[i] = d;                                                                                                    \
    }
#define FOUR "{%0,%1,%2,%3}"
TPTX(fetch2, "tex.2d.v4.f32.s32 " FOUR ", [%4, {%5,%6}];", "r"(p), "r"(q))
TPTX(fetch3, "tex.3d.v4.f32.s32 " FOUR ", [%4, {%5,%6,%7,%7}];", "r"(p), "r"(q), "r"(r))
TPTX(fetch_a2, "tex.a2d.v4.f32.s32 " FOUR ", [%4, {%5,%6,%7,%7}];", "r"(p), "r"(q), "r"(r))
TPTX(fetch_level, "tex.level.2d.v4.f32.s32 " FOUR ", [%4, {%5,%6}], %7;", "r"(p), "r"(q), "r"(r))
TPTX(fetch_a1, "tex.a1d.v4.f32.s32 " FOUR ", [%4, {%5,%6}];", "r"(p), "r"(q))
TPTX(ms, "tex.2dms.v4.f32.s32 " FOUR ", [%4, {%5,%6,%7,%7}];", "r"(p), "r"(q), "r"(r))
TPTX(msa, "tex.a2dms.v4.f32.s32 " FOUR ", [%4, {%5,%6,%7,%8}];", "r"(p), "r"(q), "r"(r), "r"(s))
TPTX(offset, "tex.2d.v4.f32.f32 " FOUR ", [%4, {%5,%6}], {%7,%8};", "f"(x), "f"(y), "r"(p), "r"(q))
TPTX(offset_fixed, "tex.2d.v4.f32.f32 " FOUR ", [%4, {%5,%6}], {3,-2};", "f"(x), "f"(y))
TPTX(depth, "tex.2d.v4.f32.f32 " FOUR ", [%4, {%5,%6}], %7;", "f"(x), "f"(y), "f"(z))
TPTX(depth_level, "tex.level.2d.v4.f32.f32 " FOUR ", [%4, {%5,%6}], %7, %8;", "f"(x), "f"(y), "f"(w), "f"(z))
TPTX(cube_depth, "tex.cube.v4.f32.f32 " FOUR ", [%4, {%5,%6,%7,%7}], %8;", "f"(x), "f"(y), "f"(z), "f"(w))
TPTX(level_off, "tex.level.3d.v4.f32.f32 " FOUR ", [%4, {%5,%6,%7,%7}], %8, {1,2,-3,0};", "f"(x), "f"(y), "f"(z),
     "f"(w))
TPTX(base, "tex.base.2d.v4.f32.f32 " FOUR ", [%4, {%5,%6}];", "f"(x), "f"(y))
TPTX(gather_off, "tld4.g.2d.v4.f32.f32 " FOUR ", [%4, {%5,%6}], {4,5};", "f"(x), "f"(y))
TPTX(gather_depth, "tld4.r.2d.v4.f32.f32 " FOUR ", [%4, {%5,%6}], %7;", "f"(x), "f"(y), "f"(z))
TPTX(gather_cube, "tld4.b.cube.v4.f32.f32 " FOUR ", [%4, {%5,%6,%7,%7}];", "f"(x), "f"(y), "f"(z))
TPTX(gather_a2, "tld4.a.a2d.v4.f32.f32 " FOUR ", [%4, {%5,%6,%7,%7}];", "r"(p), "f"(x), "f"(y))
TPTX(grad_off, "tex.grad.2d.v4.f32.f32 " FOUR ", [%4, {%5,%6}], {%7,%8}, {%8,%7}, {1,1};", "f"(x), "f"(y), "f"(z),
     "f"(w))
__global__ void resident(float4 *out, texture_t t, const float *v)
{
    INDEX float4 d;
    unsigned ok;
    asm volatile("{.reg .pred p; tex.2d.v4.f32.f32 {%0,%1,%2,%3}|p, [%5, {%6,%7}]; selp.u32 %4, 1, 0, p;}"
                 : "=f"(d.x), "=f"(d.y), "=f"(d.z), "=f"(d.w), "=r"(ok)
                 : "l"(t), "f"(x), "f"(y));
    if (ok)
        out[i] = d;
}
#define QUERY(name)                                                                                                    \
    __global__ void query_##name(unsigned *out, texture_t t, surface_t s)                                              \
    {                                                                                                                  \
        unsigned d;                                                                                                    \
        asm volatile("txq." #name ".b32 %0, [%1];" : "=r"(d) : "l"(t));                                                \
        out[0] = d;                                                                                                    \
    }
QUERY(width)
QUERY(height)
QUERY(depth)
QUERY(channel_data_type)
QUERY(channel_order)
QUERY(normalized_coords)
QUERY(filter_mode)
QUERY(addr_mode_0)
QUERY(num_mipmap_levels)
QUERY(num_samples)
QUERY(array_size)
__global__ void query_level(unsigned *out, texture_t t)
{
    unsigned d;
    asm volatile("txq.level.width.b32 %0, [%1], %2;" : "=r"(d) : "l"(t), "r"(out[threadIdx.x]));
    out[threadIdx.x] = d;
}
#define SQUERY(name)                                                                                                   \
    __global__ void squery_##name(unsigned *out, surface_t s)                                                          \
    {                                                                                                                  \
        unsigned d;                                                                                                    \
        asm volatile("suq." #name ".b32 %0, [%1];" : "=r"(d) : "l"(s));                                                \
        out[0] = d;                                                                                                    \
    }
SQUERY(width)
SQUERY(height)
SQUERY(channel_order)
SQUERY(array_size)
#define SURFACE(T, s)                                                                                                  \
    __global__ void surf1_##s(surface_t f, T *io, int x)                                                               \
    {                                                                                                                  \
        T v = surf1Dread<T>(f, x + threadIdx.x * sizeof(T));                                                           \
        surf1Dwrite(v, f, x * sizeof(T), cudaBoundaryModeClamp);                                                       \
        io[threadIdx.x] = v;                                                                                           \
    }                                                                                                                  \
    __global__ void surf2_##s(surface_t f, T *io, int x, int y)                                                        \
    {                                                                                                                  \
        T v = surf2Dread<T>(f, x, threadIdx.x, cudaBoundaryModeZero);                                                  \
        surf2Dwrite(io[threadIdx.x], f, x, y + threadIdx.x, cudaBoundaryModeTrap);                                     \
        io[threadIdx.x] = v;                                                                                           \
    }                                                                                                                  \
    __global__ void surf3_##s(surface_t f, T *io, int x, int y, int z)                                                 \
    {                                                                                                                  \
        T v = surf3Dread<T>(f, x, y, z);                                                                               \
        surf3Dwrite(v, f, z, x, y, cudaBoundaryModeClamp);                                                             \
        io[0] = v;                                                                                                     \
    }                                                                                                                  \
    __global__ void surf2l_##s(surface_t f, T *io, int x, int y, int z)                                                \
    {                                                                                                                  \
        T v = surf2DLayeredread<T>(f, x, y, z);                                                                        \
        surf2DLayeredwrite(v, f, y, x, z);                                                                             \
        surf1DLayeredwrite(surf1DLayeredread<T>(f, x, z, cudaBoundaryModeZero), f, y, z);                              \
        surfCubemapwrite(surfCubemapread<T>(f, x, y, 3), f, y, x, 2);                                                  \
        io[0] = v;                                                                                                     \
    }
SURFACE(unsigned char, u8)
SURFACE(short, s16)
SURFACE(int, s32)
SURFACE(float, f32)
SURFACE(float2, f2)
SURFACE(float4, f4)
SURFACE(uchar4, c4)
#define SPTX(name, ptx, ...)                                                                                           \
    __global__ void sptx_##name(surface_t f, int *io, int x, int y)                                                    \
    {                                                                                                                  \
        int a = io[threadIdx.x], b = io[threadIdx.x + 1], c = io[threadIdx.x + 2], d = io[3];                          \
        asm volatile(ptx ::"l"(f), __VA_ARGS__ : "memory");                                                            \
    }
SPTX(p1, "sust.p.1d.v4.b32.clamp [%0, {%1}], {%2,%3,%4,%5};", "r"(x), "r"(a), "r"(b), "r"(c), "r"(d))
SPTX(p2, "sust.p.2d.b32.trap [%0, {%1,%2}], {%3};", "r"(x), "r"(y), "r"(a))
SPTX(p2z, "sust.p.2d.v2.b32.zero [%0, {%1,%2}], {%3,%4};", "r"(x), "r"(y), "r"(a), "r"(b))
SPTX(b3, "sust.b.3d.v2.b64.zero [%0, {%1,%2,%2,%2}], {%3,%3};", "r"(x), "r"(y), "l"((long long)a))
#define SRED(op, t, T) SPTX(red_##op##_##t, "sured.b.2d." #op "." #t ".trap [%0, {%1,%2}], %3;", "r"(x), "r"(y), T)
SRED(add, u32, "r"(a))
SRED(min, s32, "r"(a))
SRED(max, u32, "r"(a))
SRED(and, b32, "r"(a))
SRED(or, b32, "r"(a))
SRED(add, u64, "l"((long long)a))
SPTX(pred_1, "sured.p.1d.add.b32.clamp [%0, {%1}], %2;", "r"(x), "r"(a))
SPTX(pred_3, "sured.b.3d.min.u32.zero [%0, {%1,%2,%2,%2}], %3;", "r"(x), "r"(y), "r"(a))
