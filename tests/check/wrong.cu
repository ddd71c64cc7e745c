// Kernels that the other checks find something in: barriers, and reads of unwritten memory. Above each stand its launch
// and the findings. The lines end in marks. Rebuild: tests/check/build.sh

//: grid 1 block 32 kind DIVERGENT
extern "C" __global__ void barriers_in_two_branches(int *a, int *b)
{
    __shared__ int s[32];
    if (threadIdx.x < 16) {
        s[threadIdx.x] = a[threadIdx.x];
        asm volatile("bar.sync 0;" ::: "memory"); // one
        b[threadIdx.x] = s[threadIdx.x];
    } else {
        s[threadIdx.x] = a[threadIdx.x] + 1;
        asm volatile("bar.sync 0;" ::: "memory"); // two
        b[threadIdx.x] = s[threadIdx.x] * 2;
    }
}

//: grid 1 block 64 kind COUNT
extern "C" __global__ void barrier_with_two_counts(int *a, int *b)
{
    if (threadIdx.x < 32)
        asm volatile("bar.arrive 1, 64;" ::: "memory"); // one
    else
        asm volatile("bar.sync 1, 32;" ::: "memory"); // two
    b[threadIdx.x] = a[threadIdx.x];
}

//: grid 1 block 64 kind LEFT
extern "C" __global__ void warp_exits_before_its_barrier(int *a, int *b)
{
    if (threadIdx.x < 32)
        return;
    asm volatile("bar.sync 1, 64;" ::: "memory"); // two
    b[threadIdx.x] = a[threadIdx.x];
}

//: grid 1 block 64 kind LEFT
extern "C" __global__ void arrival_that_nobody_waits_for(int *a, int *b)
{
    asm volatile("bar.arrive 3, 128;" ::: "memory"); // two
    b[threadIdx.x] = a[threadIdx.x];
}

//: grid 1 block 64 kind UNWRITTEN
extern "C" __global__ void shared_unwritten(int *a, int *b)
{
    __shared__ int s[64];
    if (threadIdx.x < 63)
        s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = s[threadIdx.x]; // two
}

//: grid 1 block 32 kind UNWRITTEN
extern "C" __global__ void local_unwritten(int *a, int *b)
{
    int own[16];
    for (int i = 0; i < 15; i++)
        own[(a[i] + i) % 15] = a[i];
    b[threadIdx.x] = own[a[threadIdx.x] % 16]; // two
}

//: grid 1 block 64 kind UNWRITTEN
extern "C" __global__ void shared_byte_unwritten(int *a, int *b)
{
    __shared__ unsigned char s[64];
    if (threadIdx.x != 5)
        s[threadIdx.x] = (unsigned char)a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = ((int *)s)[threadIdx.x % 16]; // two
}
