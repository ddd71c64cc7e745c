// Connectionist temporal classification: costs of label sequences and their gradients. A block has a sample. Its states
// are the labels with blanks around each. Threads take states in turn for one time step, with sums of paths as
// logarithms.
#include "tensor.cuh"

#include "ctc_arguments.h"

namespace {

__device__ inline float log_sum(float a, float b)
{
    float most = fmaxf(a, b);
    return most == -INFINITY ? most : most + log1pf(expf(fminf(a, b) - most));
}

// One sample of a block.
struct sample {
    const ctc_arguments &g;
    unsigned n, all_steps, classes, steps, length, states;
    const int *labels;
    bool possible;

    __device__ inline sample(const ctc_arguments &arguments)
        : g(arguments), n(blockIdx.x), all_steps(g.probabilities.sizes[0]), classes(g.probabilities.sizes[4]),
          labels(g.labels)
    {
        int given = g.input_lengths[n], wanted = g.label_lengths[n];
        for (unsigned before = 0; before < n; before++)
            labels += max(g.label_lengths[before], 0);
        steps = given < 0 ? 0 : min(unsigned(given), all_steps);
        possible = wanted >= 0 && unsigned(wanted) <= g.longest;
        length = possible ? unsigned(wanted) : 0;
        states = 2 * length + 1;
        // Equal neighbours need a blank between them.
        unsigned least = length;
        for (unsigned i = 1; i < length; i++)
            least += labels[i] == labels[i - 1];
        possible = possible && least <= steps;
    }
    __device__ inline unsigned class_of(unsigned state) const { return state % 2 ? unsigned(labels[state / 2]) : 0; }
    __device__ inline float &scale(unsigned t) const { return g.scales[(unsigned long long)n * all_steps + t]; }
    __device__ inline float *forward(unsigned t) const
    {
        return g.forward + ((unsigned long long)n * all_steps + t) * (2 * g.longest + 1);
    }
    __device__ inline float *backward(unsigned t) const
    {
        return g.backward + (2ull * n + t % 2) * (2 * g.longest + 1);
    }
    __device__ inline long long offset(const dnn_tensor &t, unsigned step, unsigned c) const
    {
        return step * t.steps[0] + n * t.steps[1] + c * t.steps[4];
    }
    __device__ inline float input(unsigned t, unsigned c) const
    {
        return read<float>(g.probabilities, offset(g.probabilities, t, c));
    }
    // The logarithm of a class's probability. A label that is no class has none.
    __device__ inline float log_of(unsigned t, unsigned c) const
    {
        return c >= classes ? -INFINITY : g.softmax ? input(t, c) - scale(t) : logf(input(t, c));
    }
    // Whether a path may go from a state to the next but one.
    __device__ inline bool jumps(unsigned state) const
    {
        return state % 2 && state + 2 < states && labels[state / 2] != labels[state / 2 + 1];
    }
};

// Finds the logarithm of the sum that softmax divides by, for each step.
__device__ inline void find_scales(const sample &s)
{
    for (unsigned t = threadIdx.x; t < s.steps && s.g.softmax; t += DNN_THREADS) {
        float most = -INFINITY, sum = 0;
        for (unsigned c = 0; c < s.classes; c++)
            most = fmaxf(most, s.input(t, c));
        for (unsigned c = 0; c < s.classes; c++)
            sum += expf(s.input(t, c) - most);
        s.scale(t) = most + logf(sum);
    }
    __syncthreads();
}

// Fills the rows of all steps with the sums of paths that end in a state. Returns the sum of whole paths.
__device__ inline float go_forward(const sample &s)
{
    for (unsigned t = 0; t < s.steps; t++) {
        const float *old = t > 0 ? s.forward(t - 1) : nullptr;
        for (unsigned state = threadIdx.x; state < s.states; state += DNN_THREADS) {
            float sum = t == 0 && state < 2 ? 0 : -INFINITY;
            if (t > 0) {
                sum = state > 0 ? log_sum(old[state], old[state - 1]) : old[state];
                sum = state > 1 && s.jumps(state - 2) ? log_sum(sum, old[state - 2]) : sum;
            }
            s.forward(t)[state] = sum + s.log_of(t, s.class_of(state));
        }
        __syncthreads();
    }
    const float *last = s.forward(s.steps - 1);
    return s.states > 1 ? log_sum(last[s.states - 1], last[s.states - 2]) : last[0];
}

// Fills a row with the sums of paths that go on from a state after step t.
__device__ inline void go_back(const sample &s, unsigned t)
{
    bool last = t + 1 == s.steps;
    for (unsigned state = threadIdx.x; state < s.states; state += DNN_THREADS) {
        float sum = last && state + 2 >= s.states ? 0 : -INFINITY;
        for (unsigned next = state; !last && next < s.states && next <= state + 2; next++)
            if (next < state + 2 || s.jumps(state))
                sum = log_sum(sum, s.backward(t + 1)[next] + s.log_of(t + 1, s.class_of(next)));
        s.backward(t)[state] = sum;
    }
    __syncthreads();
}

__device__ inline void write(const sample &s, unsigned t, unsigned c, float x)
{
    blend<float>(s.g.gradients, s.offset(s.g.gradients, t, c), x, 1, 0);
}

// The gradient of a class is its probability, less the share of paths that go through it.
__device__ inline void find_gradients(const sample &s, float whole)
{
    for (unsigned t = s.steps; t-- > 0;) {
        go_back(s, t);
        for (unsigned c = threadIdx.x; c < s.classes; c += DNN_THREADS) {
            float sum = -INFINITY;
            for (unsigned state = 0; state < s.states; state++)
                if (s.class_of(state) == c)
                    sum = log_sum(sum, s.forward(t)[state] + s.backward(t)[state]);
            write(s, t, c, expf(s.log_of(t, c)) - expf(sum - whole));
        }
        __syncthreads();
    }
}

__device__ inline void clear_gradients(const sample &s, unsigned from)
{
    for (unsigned t = from; t < s.all_steps; t++)
        for (unsigned c = threadIdx.x; c < s.classes; c += DNN_THREADS)
            write(s, t, c, 0);
}

__device__ inline void loss(const ctc_arguments &g)
{
    sample s(g);
    bool wanted = g.gradients.data != nullptr;
    if (!s.possible || s.steps == 0) {
        if (threadIdx.x == 0)
            g.costs[s.n] = 0;
        if (wanted && !(g.skip && !s.possible))
            clear_gradients(s, 0);
        return;
    }
    find_scales(s);
    float whole = go_forward(s);
    if (threadIdx.x == 0)
        g.costs[s.n] = -whole;
    if (wanted) {
        find_gradients(s, whole);
        clear_gradients(s, s.steps);
    }
}

} // namespace

DNN_KERNEL(ctc_loss_f32, ctc_arguments, loss)
