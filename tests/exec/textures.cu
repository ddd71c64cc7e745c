/* Texture instructions for tests/exec/textures.c: each thread reads one place. `at` has its coordinates, with layer or
 * level in the last, `more` has its other operands. */
struct block {
    unsigned long long object;
    unsigned free[2];
    float4 at[64], more[64];
    uint4 out[64];
};

/* The handle comes from memory, so that each thread has its own, or is an argument (textures_bound.cu). */
#ifdef BOUND
#define ARGUMENTS struct block *b, cudaTextureObject_t t
#define OBJECT
#else
#define ARGUMENTS struct block *b
#define OBJECT const cudaTextureObject_t t = b->object;
#endif
#define PLACE                                                                                                          \
    const unsigned i = threadIdx.x;                                                                                    \
    OBJECT                                                                                                             \
    const float4 p = b->at[i], m = b->more[i];                                                                         \
    (void)t, (void)p, (void)m;

__device__ static void put(uint4 *out, float4 v)
{
    *out = make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), __float_as_uint(v.w));
}
__device__ static void put(uint4 *out, uint4 v) { *out = v; }

#define READ(name, call)                                                                                               \
    extern "C" __global__ void name(ARGUMENTS) { PLACE put(&b->out[i], call); }
#define BOTH(name, call)                                                                                               \
    READ(name, call(float4))                                                                                           \
    READ(name##_i, call(uint4))

#define FETCH1(T) (tex1Dfetch<T>(t, (int)p.x))
#define SAMPLE1(T) (tex1D<T>(t, p.x))
#define SAMPLE2(T) (tex2D<T>(t, p.x, p.y))
#define SAMPLE3(T) (tex3D<T>(t, p.x, p.y, p.z))
#define LEVEL2(T) (tex2DLod<T>(t, p.x, p.y, p.w))
#define LAYER1(T) (tex1DLayered<T>(t, p.x, (int)p.w))
#define LAYER2(T) (tex2DLayered<T>(t, p.x, p.y, (int)p.w))
#define LAYER_LEVEL2(T) (tex2DLayeredLod<T>(t, p.x, p.y, (int)p.w, m.x))
#define CUBE(T) (texCubemap<T>(t, p.x, p.y, p.z))
#define CUBES(T) (texCubemapLayered<T>(t, p.x, p.y, p.z, (int)p.w))
#define GATHER(n) (tex2Dgather<float4>(t, p.x, p.y, n))
BOTH(fetch1, FETCH1)
BOTH(sample1, SAMPLE1)
BOTH(sample2, SAMPLE2)
BOTH(sample3, SAMPLE3)
BOTH(level2, LEVEL2)
BOTH(layer1, LAYER1)
BOTH(layer2, LAYER2)
READ(layer_level2, LAYER_LEVEL2(float4))
BOTH(cube, CUBE)
READ(cubes, CUBES(float4))
READ(gather0, GATHER(0))
READ(gather1, GATHER(1))
READ(gather2, GATHER(2))
READ(gather3, GATHER(3))
READ(gradient2, tex2DGrad<float4>(t, p.x, p.y, make_float2(m.x, m.y), make_float2(m.z, m.w)))
READ(gradient1, tex1DGrad<float4>(t, p.x, m.x, m.y))
READ(layer_gradient2, tex2DLayeredGrad<float4>(t, p.x, p.y, (int)p.w, make_float2(m.x, m.y), make_float2(m.z, m.w)))
/* The changes along y are all the same. */
READ(gradient3, tex3DGrad<float4>(t, p.x, p.y, p.z, make_float4(m.x, m.y, m.z, 0), make_float4(m.w, m.w, m.w, 0)))
READ(cube_gradient,
     texCubemapGrad<float4>(t, p.x, p.y, p.z, make_float4(m.x, m.y, m.z, 0), make_float4(m.w, m.w, m.w, 0)))
READ(cubes_gradient, texCubemapLayeredGrad<float4>(t, p.x, p.y, p.z, (int)p.w, make_float4(m.x, m.y, m.z, 0),
                                                   make_float4(m.w, m.w, m.w, 0)))
/* Registers are as many as the components that are used: one, others, all but the first. */
READ(some_components, make_float4(tex2D<float4>(t, p.x, p.y).y, tex2D<float4>(t, p.x, p.y).x, 0, 1))
READ(last_components,
     make_float4(0, tex2D<float4>(t, p.x, p.y).w, tex2D<float4>(t, p.x, p.y).z, tex2D<float4>(t, p.x, p.y).y))

#define PTX(name, text, ...)                                                                                           \
    extern "C" __global__ void name(ARGUMENTS)                                                                   \
    {                                                                                                                  \
        PLACE float4 v;                                                                                                \
        asm volatile(text : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), __VA_ARGS__);                         \
        put(&b->out[i], v);                                                                                            \
    }
PTX(offset2, "tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {%7,%8};", "f"(p.x), "f"(p.y), "r"((int)m.x),
    "r"((int)m.y))
PTX(gather_offset, "tld4.r.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {4,-3};", "f"(p.x), "f"(p.y))
PTX(gradient_offset, "tex.grad.a2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}], {%8,%8}, {%8,%8}, {1,-2};",
    "r"((int)p.w), "f"(p.x), "f"(p.y), "f"(m.x))
PTX(fetch2, "tex.2d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5,%6}];", "r"((int)p.x), "r"((int)p.y))
PTX(fetch_level2, "tex.level.2d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5,%6}], %7;", "r"((int)p.x), "r"((int)p.y),
    "r"((int)p.w))
PTX(fetch_layer2, "tex.a2d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%7,%5,%6,%6}];", "r"((int)p.x), "r"((int)p.y), "r"((int)p.w))
PTX(fetch3, "tex.3d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}];", "r"((int)p.x), "r"((int)p.y), "r"((int)p.z))

/* Two halves a register. */
extern "C" __global__ void halves2(ARGUMENTS)
{
    PLACE unsigned low, high;
    asm volatile("tex.2d.v2.f16x2.f32 {%0,%1}, [%2, {%3,%4}];" : "=r"(low), "=r"(high) : "l"(t), "f"(p.x), "f"(p.y));
    b->out[i] = make_uint4(low, high, 0, 0);
}

/* A texture for each thread. */
extern "C" __global__ void many(ARGUMENTS)
{
    PLACE put(&b->out[i], tex2D<float4>(__float_as_uint(m.x), p.x, p.y));
}

#define ASK(to, text)                                                                                                  \
    asm volatile(text : "=r"(d) : "l"(t));                                                                     \
    to = d;
extern "C" __global__ void ask_texture(ARGUMENTS)
{
    unsigned d;
    OBJECT
    ASK(b->out[0].x, "txq.width.b32 %0, [%1];")
    ASK(b->out[0].y, "txq.height.b32 %0, [%1];")
    ASK(b->out[0].z, "txq.depth.b32 %0, [%1];")
    ASK(b->out[0].w, "txq.array_size.b32 %0, [%1];")
    ASK(b->out[1].x, "txq.num_mipmap_levels.b32 %0, [%1];")
    ASK(b->out[1].y, "txq.normalized_coords.b32 %0, [%1];")
    ASK(b->out[1].z, "txq.filter_mode.b32 %0, [%1];")
    ASK(b->out[1].w, "txq.addr_mode_0.b32 %0, [%1];")
    ASK(b->out[2].x, "txq.addr_mode_1.b32 %0, [%1];")
    ASK(b->out[2].y, "txq.channel_order.b32 %0, [%1];")
    asm volatile("txq.level.width.b32 %0, [%1], %2;" : "=r"(d) : "l"(t), "r"((int)b->at[0].x));
    b->out[2].z = d;
}
