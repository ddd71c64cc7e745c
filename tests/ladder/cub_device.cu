// Device-wide sort, scan, selection and histogram by CUB, with its temporary storage.
// functional: 100
// functional: 100000
// detailed: 100
#include "ladder.cuh"
#include <algorithm>
#include <cub/cub.cuh>

struct above {
    int limit;
    __host__ __device__ bool operator()(int value) const { return value > limit; }
};

// Calls twice, as CUB wants it: for the size of the storage, then for the work.
template <typename F> static void twice(F work)
{
    void *storage = nullptr;
    size_t bytes = 0;
    CHECK(work(storage, bytes));
    CHECK(cudaMalloc(&storage, bytes));
    CHECK(work(storage, bytes));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(storage));
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 100), *in, *out, *count;
    std::vector<int> data(n), got(n);
    ladder_random random(22);
    for (int &value : data)
        value = (int)(random.next() % 256);
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMalloc(&count, 256 * sizeof(int)));
    CHECK(cudaMemcpy(in, data.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    twice([&](void *s, size_t &b) { return cub::DeviceScan::ExclusiveSum(s, b, in, out, n); });
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    int sum = 0;
    for (int i = 0; i < n; i++) {
        EXPECT_EQUAL(got[i], sum, i);
        sum += data[i];
    }

    twice([&](void *s, size_t &b) { return cub::DeviceRadixSort::SortKeysDescending(s, b, in, out, n, 0, 8); });
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<int> sorted = data;
    std::sort(sorted.begin(), sorted.end(), [](int a, int b) { return a > b; });
    EXPECT(got == sorted);

    twice([&](void *s, size_t &b) { return cub::DeviceHistogram::HistogramEven(s, b, in, count, 17, 0, 256, n); });
    int bins[16], want[16] = {};
    CHECK(cudaMemcpy(bins, count, sizeof bins, cudaMemcpyDeviceToHost));
    for (int value : data)
        want[value / 16]++;
    for (int i = 0; i < 16; i++)
        EXPECT_EQUAL(bins[i], want[i], i);

    twice([&](void *s, size_t &b) { return cub::DeviceSelect::If(s, b, in, out, count, n, above{128}); });
    int kept = 0;
    CHECK(cudaMemcpy(&kept, count, sizeof kept, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<int> selected;
    std::copy_if(data.begin(), data.end(), std::back_inserter(selected), above{128});
    EXPECT_EQUAL(kept, selected.size(), 0);
    EXPECT(std::equal(selected.begin(), selected.end(), got.begin()));
    return ladder_result("cub_device");
}
