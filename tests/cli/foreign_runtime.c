/* Stands for NVIDIA's libcudart.so.13, which Python packages bring along. */
int cudaRuntimeGetVersion(int *version);

__attribute__((visibility("default"))) int cudaRuntimeGetVersion(int *version)
{
    *version = 1;
    return 0;
}
