// The host's own use of a device pointer ends that process, as on hardware. Pinned and managed memory it may touch.
// functional:
#include "ladder.cuh"
#include <csetjmp>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static void caught(int) { siglongjmp(back, 1); }

// Whether the access raises a signal.
static bool faults(volatile int *pointer, bool write)
{
    struct sigaction action = {}, segv, bus;
    action.sa_handler = caught;
    sigaction(SIGSEGV, &action, &segv);
    sigaction(SIGBUS, &action, &bus);
    bool fault = true;
    if (sigsetjmp(back, 1) == 0) {
        if (write)
            *pointer = 1;
        else
            (void)*pointer;
        fault = false;
    }
    sigaction(SIGSEGV, &segv, nullptr);
    sigaction(SIGBUS, &bus, nullptr);
    return fault;
}

__global__ void set(int *data) { data[threadIdx.x] = 40 + threadIdx.x; }

int main()
{
    int *device, *pinned, *managed, *asynchronous, got = 0;
    CHECK(cudaMalloc(&device, 4096));
    CHECK(cudaMallocHost(&pinned, 4096));
    CHECK(cudaMallocManaged(&managed, 4096));
    CHECK(cudaMallocAsync(&asynchronous, 4096, 0));
    set<<<1, 32>>>(device);
    CHECK(cudaDeviceSynchronize());
    EXPECT(faults(device, false));
    EXPECT(faults(device, true));
    EXPECT(faults(device + 1023, true));
    EXPECT(faults(asynchronous, true));
    EXPECT(!faults(pinned, true));
    EXPECT(!faults(managed + 1023, true));
    CHECK(cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(got, 40, 0);

    // In a child process the fault ends it by the signal.
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        *(volatile int *)device = 1;
        _exit(0);
    }
    int status = 0;
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS));
    return ladder_result("host_access");
}
