// An inlined function in a second file, for the line tables.
__device__ inline int twice(int value)
{
    return value + value + 1;
}
