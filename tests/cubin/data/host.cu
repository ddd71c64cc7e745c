// A program with code for two architectures and PTX for a third.
__global__ void half(float *data)
{
    data[threadIdx.x] *= 0.5f;
}

int main()
{
    half<<<1, 32>>>(nullptr);
    return 0;
}
