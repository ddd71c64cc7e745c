// The functions of linked_functions.cu.
struct shape {
    int scale;
    __device__ explicit shape(int s) : scale(s) {}
    __device__ virtual int area(int x);
};

struct square : shape {
    __device__ explicit square(int s) : shape(s) {}
    __device__ int area(int x) override;
};

typedef int function(int);
extern __device__ function *const functions[3];
extern __device__ int calls;

__device__ int ackermann(int m, int n);
__device__ int by_table(int t, int n);
__device__ int sum_of_cta(int x);
