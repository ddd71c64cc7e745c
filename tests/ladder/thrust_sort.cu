// Sort, scan and reduction by Thrust, over few and many elements. functional: 100 functional: 100000 detailed: 100
#include "ladder.cuh"
#include <algorithm>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 100);
    std::vector<int> keys(n), values(n), got(n), want(n);
    ladder_random random(21);
    for (int i = 0; i < n; i++) {
        keys[i] = (int)(random.next() % 1000000) - 500000;
        values[i] = i;
    }
    thrust::device_vector<int> dkeys(keys.begin(), keys.end()), dvalues(values.begin(), values.end()), scanned(n);

    thrust::sort_by_key(dkeys.begin(), dkeys.end(), dvalues.begin());
    thrust::copy(dvalues.begin(), dvalues.end(), got.begin());
    std::stable_sort(values.begin(), values.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(got[i], values[i], i);   // the radix sort is stable
    thrust::copy(dkeys.begin(), dkeys.end(), got.begin());
    std::sort(keys.begin(), keys.end());
    EXPECT(got == keys);

    thrust::inclusive_scan(dkeys.begin(), dkeys.end(), scanned.begin());
    thrust::copy(scanned.begin(), scanned.end(), got.begin());
    unsigned sum = 0;   // wraps as the device's addition does
    for (int i = 0; i < n; i++) {
        sum += (unsigned)keys[i];
        want[i] = (int)sum;
    }
    EXPECT(got == want);

    long long total = thrust::reduce(dkeys.begin(), dkeys.end(), 0ll);
    EXPECT_EQUAL(total, std::accumulate(keys.begin(), keys.end(), 0ll), 0);
    int largest = thrust::reduce(dkeys.begin(), dkeys.end(), -1000000, thrust::maximum<int>());
    EXPECT_EQUAL(largest, keys.back(), 0);
    return ladder_result("thrust_sort");
}
