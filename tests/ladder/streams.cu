// Order between streams: events, host functions, callbacks, the legacy stream as a barrier, priorities.
// functional: 4000
// detailed: 300
#include "ladder.cuh"
#include <string>

__global__ void append(int *log, int *length, int value, int spin)
{
    int busy = 0;
    for (int i = 0; i < spin; i++)
        busy += clock() & 1;
    log[*length] = value + (busy < 0);
    ++*length;
}

static std::string written;
static void write(void *text) { written += (const char *)text; }
static void CUDART_CB called(cudaStream_t, cudaError_t status, void *text)
{
    written += status == cudaSuccess ? (const char *)text : "!";
}

int main(int argc, char **argv)
{
    int spin = (int)ladder_size(argc, argv, 4000), *log, *length, host[32];
    CHECK(cudaMalloc(&log, sizeof host));
    CHECK(cudaMalloc(&length, sizeof(int)));
    CHECK(cudaMemset(length, 0, sizeof(int)));
    cudaStream_t stream[4];
    cudaEvent_t event[4];
    int least, greatest;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(greatest <= least);
    for (int i = 0; i < 4; i++) {
        CHECK(cudaStreamCreateWithPriority(&stream[i], i & 1 ? cudaStreamNonBlocking : cudaStreamDefault, greatest));
        CHECK(cudaEventCreate(&event[i]));
        unsigned flags;
        int priority;
        CHECK(cudaStreamGetFlags(stream[i], &flags));
        CHECK(cudaStreamGetPriority(stream[i], &priority));
        EXPECT(flags == (i & 1 ? cudaStreamNonBlocking : cudaStreamDefault));
        EXPECT_EQUAL(priority, greatest, i);
    }
    // A chain through four streams; each link only by its event.
    for (int i = 0; i < 12; i++) {
        int at = i % 4;
        if (i)
            CHECK(cudaStreamWaitEvent(stream[at], event[(at + 3) % 4], 0));
        append<<<1, 1, 0, stream[at]>>>(log, length, 10 + i, i == 0 ? spin : 1);
        CHECK(cudaEventRecord(event[at], stream[at]));
    }
    CHECK(cudaEventSynchronize(event[3]));
    CHECK(cudaMemcpyAsync(host, log, sizeof host, cudaMemcpyDeviceToHost, stream[3]));
    CHECK(cudaStreamSynchronize(stream[3]));
    for (int i = 0; i < 12; i++)
        EXPECT_EQUAL(host[i], 10 + i, i);
    float time = -1;
    CHECK(cudaEventElapsedTime(&time, event[0], event[3]));
    EXPECT(time > 0);
    CHECK(cudaEventElapsedTime(&time, event[3], event[0]));
    EXPECT(time < 0);

    // Host functions and callbacks in the stream's order.
    CHECK(cudaLaunchHostFunc(stream[0], write, (void *)"a"));
    append<<<1, 1, 0, stream[0]>>>(log, length, 1, spin);
    CHECK(cudaLaunchHostFunc(stream[0], write, (void *)"b"));
    CHECK(cudaStreamAddCallback(stream[0], called, (void *)"c", 0));
    CHECK(cudaLaunchHostFunc(stream[0], write, (void *)"d"));
    CHECK(cudaStreamSynchronize(stream[0]));
    EXPECT(written == "abcd");

    // The legacy stream waits for blocking streams, and they for it.
    CHECK(cudaMemset(length, 0, sizeof(int)));
    append<<<1, 1, 0, stream[0]>>>(log, length, 1, spin);
    append<<<1, 1, 0, stream[2]>>>(log, length, 2, 1);
    append<<<1, 1>>>(log, length, 3, 1);
    append<<<1, 1, 0, stream[2]>>>(log, length, 4, 1);
    CHECK(cudaMemcpy(host, log, sizeof host, cudaMemcpyDeviceToHost));
    int wrote = 0;
    CHECK(cudaMemcpy(&wrote, length, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(wrote, 4, 0);
    EXPECT_EQUAL(host[2], 3, 2);
    EXPECT_EQUAL(host[3], 4, 3);
    EXPECT_EQUAL(host[0] + host[1], 3, 0);

    // A stream destroyed while it has work finishes that work.
    CHECK(cudaMemset(length, 0, sizeof(int)));
    append<<<1, 1, 0, stream[1]>>>(log, length, 99, spin);
    for (int i = 0; i < 4; i++)
        CHECK(cudaStreamDestroy(stream[i]));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, log, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(host[0], 99, 0);
    EXPECT_ERROR(cudaStreamSynchronize(stream[0]), cudaErrorInvalidResourceHandle);
    return ladder_result("streams");
}
