// Particles: forces within cells, and a step of motion.

constexpr int CELL = 32;

// Cells of CELL particles on a torus. A particle is its place and its charge. It feels those in its own cell and in the
// four beside it, by a force that falls off as exp(-2 r^2). A CTA of one warp for each cell.
extern "C" __global__ void cell_forces(const float4 *__restrict__ particle, float4 *force)
{
    __shared__ float4 other[CELL];
    const int x = blockIdx.x, y = blockIdx.y, w = gridDim.x, h = gridDim.y, t = threadIdx.x;
    const int neighbour[5] = {y * w + x, y * w + (x + 1) % w, y * w + (x + w - 1) % w, (y + 1) % h * w + x,
                              (y + h - 1) % h * w + x};
    const float4 own = particle[neighbour[0] * CELL + t];
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 1
    for (int n = 0; n < 5; n++) {
        __syncwarp();
        other[t] = particle[neighbour[n] * CELL + t];
        __syncwarp();
#pragma unroll 8
        for (int i = 0; i < CELL; i++) {
            const float4 p = other[i];
            const float dx = own.x - p.x, dy = own.y - p.y, dz = own.z - p.z;
            const float strength = p.w * __expf(-2.0f * (dx * dx + dy * dy + dz * dz));
            sum.x += strength * dx;
            sum.y += strength * dy;
            sum.z += strength * dz;
            sum.w += strength;
        }
    }
    force[neighbour[0] * CELL + t] = sum;
}

// A particle as a first version has it: numbers that belong together lie together, and an access of a warp touches 32
// places.
struct Particle {
    float place[3], speed[3], mass;
    unsigned bounces;
};

extern "C" __global__ void move_particles(Particle *particles, float time, float gravity)
{
    Particle *p = particles + blockIdx.x * blockDim.x + threadIdx.x;
    p->speed[2] -= __fmul_rn(gravity, time);
    for (int axis = 0; axis < 3; axis++) {
        float at = fmaf(p->speed[axis], time, p->place[axis]);
        if (at < 0.0f || at > 1.0f) {
            at = at < 0.0f ? -at : 2.0f - at;
            p->speed[axis] = -p->speed[axis];
            p->bounces++;
        }
        p->place[axis] = at;
    }
}
