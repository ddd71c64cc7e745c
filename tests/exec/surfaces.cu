/* Surface instructions for tests/exec/surfaces.c: each thread accesses one place. x counts bytes. */
struct block {
    unsigned long long object;
    unsigned free[2];
    int4 at[64];
    uint4 data[64], out[64];
};

template <class T> __device__ T from(uint4 v) { return *(T *)&v; }
template <class T> __device__ uint4 widened(T v)
{
    uint4 all = make_uint4(0, 0, 0, 0);
    *(T *)&all = v;
    return all;
}

#define PLACE                                                                                                          \
    const unsigned i = threadIdx.x;                                                                                    \
    const cudaSurfaceObject_t s = b->object;                                                                           \
    const int4 p = b->at[i];                                                                                           \
    (void)s, (void)p;
#define KERNEL(name, body)                                                                                             \
    extern "C" __global__ void name(struct block *b) { PLACE body; }
#define MODES(T, s_)                                                                                                   \
    KERNEL(load2_##s_##_zero, b->out[i] = widened(surf2Dread<T>(s, p.x, p.y, cudaBoundaryModeZero)))                   \
    KERNEL(load2_##s_##_clamp, b->out[i] = widened(surf2Dread<T>(s, p.x, p.y, cudaBoundaryModeClamp)))                 \
    KERNEL(load2_##s_##_trap, b->out[i] = widened(surf2Dread<T>(s, p.x, p.y, cudaBoundaryModeTrap)))                   \
    KERNEL(store2_##s_##_zero, surf2Dwrite(from<T>(b->data[i]), s, p.x, p.y, cudaBoundaryModeZero))                    \
    KERNEL(store2_##s_##_clamp, surf2Dwrite(from<T>(b->data[i]), s, p.x, p.y, cudaBoundaryModeClamp))                  \
    KERNEL(store2_##s_##_trap, surf2Dwrite(from<T>(b->data[i]), s, p.x, p.y, cudaBoundaryModeTrap))
MODES(unsigned char, u8)
MODES(unsigned short, u16)
MODES(unsigned, u32)
MODES(uint2, u64)
MODES(uint4, u128)
KERNEL(load1, b->out[i] = widened(surf1Dread<unsigned>(s, p.x, cudaBoundaryModeZero)))
KERNEL(load3, b->out[i] = widened(surf3Dread<unsigned>(s, p.x, p.y, p.z, cudaBoundaryModeZero)))
KERNEL(load_layer1, b->out[i] = widened(surf1DLayeredread<unsigned>(s, p.x, p.z, cudaBoundaryModeZero)))
KERNEL(load_layer2, b->out[i] = widened(surf2DLayeredread<unsigned>(s, p.x, p.y, p.z, cudaBoundaryModeZero)))
KERNEL(store_layer2, surf2DLayeredwrite(b->data[i].x, s, p.x, p.y, p.z, cudaBoundaryModeZero))
KERNEL(store_face, surfCubemapwrite(b->data[i].x, s, p.x, p.y, p.z, cudaBoundaryModeZero))

#define PTX(name, text, ...) KERNEL(name, asm volatile(text ::"l"(s), "r"(p.x), "r"(p.y), __VA_ARGS__ : "memory"))
PTX(add2, "sured.b.2d.add.u32.trap [%0, {%1,%2}], %3;", "r"(b->data[i].x))
PTX(least2, "sured.b.2d.min.s32.zero [%0, {%1,%2}], %3;", "r"(b->data[i].x))
PTX(most2, "sured.b.2d.max.u32.zero [%0, {%1,%2}], %3;", "r"(b->data[i].x))
PTX(both2, "sured.b.2d.and.b32.zero [%0, {%1,%2}], %3;", "r"(b->data[i].x))
PTX(either2, "sured.b.2d.or.b32.zero [%0, {%1,%2}], %3;", "r"(b->data[i].x))
PTX(add2_wide, "sured.b.2d.add.u64.clamp [%0, {%1,%2}], %3;", "l"((unsigned long long)b->data[i].x << 20))
PTX(formatted2, "sust.p.2d.v4.b32.zero [%0, {%1,%2}], {%3,%4,%5,%6};", "r"(b->data[i].x), "r"(b->data[i].y),
    "r"(b->data[i].z), "r"(b->data[i].w))
/* A surface for each thread. */
KERNEL(many, surf2Dwrite(b->data[i].x, (cudaSurfaceObject_t)b->data[i].y, p.x, p.y, cudaBoundaryModeTrap))

#define ASK(to, text)                                                                                                  \
    asm volatile(text : "=r"(d) : "l"(b->object));                                                                     \
    to = d;
extern "C" __global__ void ask_surface(struct block *b)
{
    unsigned d;
    ASK(b->out[0].x, "suq.width.b32 %0, [%1];")
    ASK(b->out[0].y, "suq.height.b32 %0, [%1];")
    ASK(b->out[0].z, "suq.depth.b32 %0, [%1];")
    ASK(b->out[0].w, "suq.array_size.b32 %0, [%1];")
    ASK(b->out[1].x, "suq.channel_order.b32 %0, [%1];")
}
