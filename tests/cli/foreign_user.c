/* Stands for a library of such a package: its DT_RPATH leads to the runtime beside it. */
int cudaRuntimeGetVersion(int *version);
int runtime_version(void);

__attribute__((visibility("default"))) int runtime_version(void)
{
    int version = 0;
    return cudaRuntimeGetVersion(&version) == 0 ? version : -1;
}
