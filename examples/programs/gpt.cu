// functional: 3
// stdout~ loss 4\.\d+, on the host 4\.\d+; gradients differ by up to \S+e-07
// stdout: parameters: 0 of 29568 differ by more than a hundredth of a step
// stdout~ step 0: 2 sequences of 32 words, loss 4\.\d+
// stdout~ loss 4\.\d+, on the host 4\.\d+; gradients differ by up to \S+e-07
// stdout: parameters: 0 of 29568 differ by more than a hundredth of a step
// stdout~ step 2: 2 sequences of 32 words, loss 4\.\d+
// stdout: PASSED
// detailed: 1
// stdout~ loss 4\.\d+, on the host 4\.\d+; gradients differ by up to \S+e-07
// stdout: parameters: 0 of 29568 differ by more than a hundredth of a step
// stdout~ step 0: 2 sequences of 32 words, loss 4\.\d+
// stdout: PASSED

/* Trains a small transformer: forward pass, backward pass and Adam, 76 launches a step. Batches and lengths of
 * sequences vary from step to step, as where a training set is sorted into buckets of similar lengths.
 *
 *     nvcc -arch=sm_86 -cudart shared -O2 gpt.cu -o gpt
 *     ./gpt [STEPS]                 100 steps unless said otherwise
 *
 * The first two steps are computed on the host as well, in double precision, and the loss, all gradients and all
 * parameters are compared. The loss must fall. The last line says PASSED or FAILED.
 *
 * The model: tokens and positions are embedded. Each layer has causal attention of several heads and a perceptron with
 * GELU, each behind a layer norm and added to its input. The output shares its weights with the embedding.
 *
 * The first lines tell tests/ladder/run.py how to run it. */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gpt_host.h"
#include "gpt_kernels.h"
#include "gpt_model.h"

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* ---- the passes on the device ------------------------------------------------------------------------------------ */

static int blocks(int count, int size) { return (count + size - 1) / size; }

struct trainer {
    model<float> weights, gradients;
    activations<float> a;
    float *parameters, *d_parameters, *first, *second;
    int *tokens, *targets;
    int count;
};

/* out[rows][n] = in[rows][k] w[n][k] + bias */
static void linear(float *out, const float *in, const float *w, const float *bias, int rows, int n, int k)
{
    multiply<false, true>
        <<<dim3(blocks(n, TILE), blocks(rows, TILE)), dim3(TILE, TILE)>>>(out, in, w, bias, rows, n, k);
}

static void linear_backward(float *d_in, float *d_w, float *d_bias, const float *d_out, const float *in, const float *w,
                            int rows, int n, int k)
{
    dim3 tile(TILE, TILE);
    multiply<false, false><<<dim3(blocks(k, TILE), blocks(rows, TILE)), tile>>>(d_in, d_out, w, NULL, rows, k, n);
    multiply<true, false><<<dim3(blocks(k, TILE), blocks(n, TILE)), tile>>>(d_w, d_out, in, NULL, n, k, rows);
    if (d_bias)
        column_sums<<<n / (BLOCK / WARP), BLOCK>>>(d_bias, d_out, rows, n);
}

static void forward(trainer *t, shape s)
{
    const int rows = s.rows(), by_row = blocks(rows, BLOCK / WARP), by_element = blocks(rows * CHANNELS, BLOCK);
    const dim3 by_value(s.length / (BLOCK / SIZE), 1, s.sequences * HEADS);
    activations<float> *a = &t->a;
    embed<<<by_element, BLOCK>>>(a->layers[0].in, t->tokens, t->weights.words, t->weights.positions, rows, s.length);
    for (int i = 0; i < LAYERS; i++) {
        auto &x = a->layers[i];
        const layer<float> &w = t->weights.layers[i];
        norm_forward<<<by_row, BLOCK>>>(x.norm1, x.mean1, x.scale1, x.in, w.norm1_w, w.norm1_b, rows);
        linear(x.qkv, x.norm1, w.qkv_w, w.qkv_b, rows, 3 * CHANNELS, CHANNELS);
        attention_scores<<<dim3(s.length / TILE, s.length / TILE, s.sequences * HEADS), dim3(TILE, TILE)>>>(
            x.weights, x.qkv, s.length);
        attention_softmax<<<by_row * HEADS, BLOCK>>>(x.weights, rows * HEADS, s.length);
        attention_values<<<by_value, BLOCK>>>(x.attended, x.weights, x.qkv, s.length);
        linear(a->branch, x.attended, w.proj_w, w.proj_b, rows, CHANNELS, CHANNELS);
        add<<<by_element, BLOCK>>>(x.middle, x.in, a->branch, rows * CHANNELS);
        norm_forward<<<by_row, BLOCK>>>(x.norm2, x.mean2, x.scale2, x.middle, w.norm2_w, w.norm2_b, rows);
        linear(x.up, x.norm2, w.up_w, w.up_b, rows, 4 * CHANNELS, CHANNELS);
        gelu_forward<<<4 * by_element, BLOCK>>>(x.gelu, x.up, rows * 4 * CHANNELS);
        linear(a->branch, x.gelu, w.down_w, w.down_b, rows, CHANNELS, 4 * CHANNELS);
        add<<<by_element, BLOCK>>>(i + 1 < LAYERS ? a->layers[i + 1].in : a->out, x.middle, a->branch, rows * CHANNELS);
    }
    norm_forward<<<by_row, BLOCK>>>(a->norm, a->mean, a->scale, a->out, t->weights.norm_w, t->weights.norm_b, rows);
    linear(a->logits, a->norm, t->weights.words, NULL, rows, WORDS, CHANNELS);
    cross_entropy<<<by_row, BLOCK>>>(a->losses, a->logits, t->targets, rows);
    mean_loss<<<1, WARP>>>(a->loss, a->losses, rows);
}

static void norm_both(float *d_in, float *d_w, float *d_b, const float *d_out, const float *in, const float *w,
                      const float *mean, const float *scale, int rows, bool added)
{
    norm_backward<<<blocks(rows, BLOCK / WARP), BLOCK>>>(d_in, d_out, in, w, mean, scale, rows, added);
    norm_weights_backward<<<CHANNELS, WARP>>>(d_w, d_b, d_out, in, mean, scale, rows);
}

static void layer_backward(trainer *t, shape s, int i)
{
    const int rows = s.rows();
    const dim3 by_value(s.length / (BLOCK / SIZE), 1, s.sequences * HEADS);
    activations<float> *a = &t->a;
    auto &x = a->layers[i];
    const layer<float> &w = t->weights.layers[i], &d = t->gradients.layers[i];
    linear_backward(a->d_up, d.down_w, d.down_b, a->d_stream, x.gelu, w.down_w, rows, CHANNELS, 4 * CHANNELS);
    gelu_backward<<<blocks(rows * 4 * CHANNELS, BLOCK), BLOCK>>>(a->d_up, x.up, rows * 4 * CHANNELS);
    linear_backward(a->d_norm, d.up_w, d.up_b, a->d_up, x.norm2, w.up_w, rows, 4 * CHANNELS, CHANNELS);
    norm_both(a->d_stream, d.norm2_w, d.norm2_b, a->d_norm, x.middle, w.norm2_w, x.mean2, x.scale2, rows, true);
    linear_backward(a->d_attended, d.proj_w, d.proj_b, a->d_stream, x.attended, w.proj_w, rows, CHANNELS, CHANNELS);
    attention_weights_backward<<<rows * HEADS / (BLOCK / WARP), BLOCK>>>(a->d_weights, x.weights, a->d_attended, x.qkv,
                                                                         s.length);
    attention_query_backward<<<by_value, BLOCK>>>(a->d_qkv, a->d_weights, x.qkv, s.length);
    attention_key_backward<<<by_value, BLOCK>>>(a->d_qkv, a->d_weights, x.weights, a->d_attended, x.qkv, s.length);
    linear_backward(a->d_norm, d.qkv_w, d.qkv_b, a->d_qkv, x.norm1, w.qkv_w, rows, 3 * CHANNELS, CHANNELS);
    norm_both(a->d_stream, d.norm1_w, d.norm1_b, a->d_norm, x.in, w.norm1_w, x.mean1, x.scale1, rows, true);
}

static void backward(trainer *t, shape s)
{
    const int rows = s.rows();
    const activations<float> *a = &t->a;
    linear_backward(a->d_norm, t->gradients.words, NULL, a->logits, a->norm, t->weights.words, rows, WORDS, CHANNELS);
    norm_both(a->d_stream, t->gradients.norm_w, t->gradients.norm_b, a->d_norm, a->out, t->weights.norm_w, a->mean,
              a->scale, rows, false);
    for (int i = LAYERS - 1; i >= 0; i--)
        layer_backward(t, s, i);
    embed_words_backward<<<WORDS * CHANNELS / BLOCK, BLOCK>>>(t->gradients.words, t->tokens, a->d_stream, rows);
    embed_positions_backward<<<LONGEST * CHANNELS / BLOCK, BLOCK>>>(t->gradients.positions, a->d_stream, rows,
                                                                    s.length);
}

/* ---- training ---------------------------------------------------------------------------------------------------- */

static uint64_t random_state = 1;

static unsigned random_below(unsigned limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((random_state >> 33) % limit);
}

static double random_normal()
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_below(1u << 30) / (double)(1u << 30);
    return sum;
}

/* Each word has a successor, which follows it in seven of eight cases. */
static void make_batch(int *tokens, int *targets, shape s)
{
    for (int sequence = 0; sequence < s.sequences; sequence++) {
        int word = (int)random_below(WORDS);
        for (int i = 0; i < s.length; i++) {
            tokens[sequence * s.length + i] = word;
            word = random_below(8) ? (word * 5 + 17) % WORDS : (int)random_below(WORDS);
            targets[sequence * s.length + i] = word;
        }
    }
}

static void start_values(std::vector<float> &parameters)
{
    model<float> m;
    parameters.resize(place(&m, (float *)NULL));
    place(&m, parameters.data());
    for (float &p : parameters)
        p = (float)(0.08 * random_normal());
    auto fill = [](float *array, size_t count, float value) {
        for (size_t i = 0; i < count; i++)
            array[i] = value;
    };
    for (layer<float> &l : m.layers)
        fill(l.norm1_w, CHANNELS, 1), fill(l.norm2_w, CHANNELS, 1), fill(l.norm1_b, CHANNELS, 0),
            fill(l.norm2_b, CHANNELS, 0), fill(l.qkv_b, 3 * CHANNELS, 0), fill(l.proj_b, CHANNELS, 0),
            fill(l.up_b, 4 * CHANNELS, 0), fill(l.down_b, CHANNELS, 0);
    fill(m.norm_w, CHANNELS, 1), fill(m.norm_b, CHANNELS, 0);
}

template <typename T> static T *device_array(size_t count)
{
    T *array;
    CHECK(cudaMalloc((void **)&array, count * sizeof(T)));
    CHECK(cudaMemset(array, 0, count * sizeof(T)));
    return array;
}

static void trainer_begin(trainer *t, const std::vector<float> &parameters)
{
    t->count = (int)parameters.size();
    t->parameters = device_array<float>(parameters.size()), t->d_parameters = device_array<float>(parameters.size());
    t->first = device_array<float>(parameters.size()), t->second = device_array<float>(parameters.size());
    t->tokens = device_array<int>(MOST), t->targets = device_array<int>(MOST);
    place(&t->weights, t->parameters), place(&t->gradients, t->d_parameters);
    place(&t->a, device_array<float>(place(&t->a, (float *)NULL)));
    CHECK(cudaMemcpy(t->parameters, parameters.data(), parameters.size() * sizeof(float), cudaMemcpyHostToDevice));
}

static void host_begin(host *h, const std::vector<float> &parameters)
{
    h->parameters.assign(parameters.begin(), parameters.end());
    h->gradients.resize(parameters.size()), h->first.resize(parameters.size()), h->second.resize(parameters.size());
    h->storage.resize(place(&h->a, (double *)NULL));
    place(&h->w, h->parameters.data()), place(&h->d, h->gradients.data()), place(&h->a, h->storage.data());
}

/* The largest difference, against the largest value of the array. */
static double difference(const float *device, const std::vector<double> &right)
{
    std::vector<float> values(right.size());
    double off = 0, most = 0;
    CHECK(cudaMemcpy(values.data(), device, values.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < values.size(); i++) {
        off = fmax(off, fabs(values[i] - right[i]));
        most = fmax(most, fabs(right[i]));
    }
    return off / most;
}

/* A step on both sides. Adam divides by the size of a gradient, so that it turns the rounding of one that is nearly
 * zero into a whole step of `rate`: the host takes over the parameters, and the gradients are compared. */
static bool step_agrees(trainer *t, host *h, const int *tokens, const int *targets, shape s, double loss)
{
    double right = host_forward(h, tokens, targets, s);
    host_backward(h, tokens, s);
    double off = difference(t->d_parameters, h->gradients);
    printf("loss %.6f, on the host %.6f; gradients differ by up to %.1e\n", loss, right, off);
    return fabs(loss - right) < 1e-5 * right && off < 1e-5;
}

static bool parameters_agree(trainer *t, host *h, int step, double rate)
{
    std::vector<float> values(h->parameters.size());
    host_adam(h, step, rate);
    size_t far = 0;
    CHECK(cudaMemcpy(values.data(), t->parameters, values.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < values.size(); i++) {
        far += fabs(values[i] - h->parameters[i]) > 0.01 * rate;
        h->parameters[i] = values[i];
    }
    printf("parameters: %zu of %zu differ by more than a hundredth of a step\n", far, values.size());
    return far < values.size() / 100;
}

int main(int argc, char **argv)
{
    static const shape shapes[] = {{4, 32}, {2, 48}, {1, 64}, {2, 64}, {3, 32}, {2, 32}};
    enum { SHAPES = sizeof shapes / sizeof shapes[0], CHECKED = 2 };
    const int steps = argc > 1 ? atoi(argv[1]) : 100;
    const float rate = 3e-3f;
    std::vector<float> parameters;
    start_values(parameters);
    trainer t;
    host h;
    trainer_begin(&t, parameters);
    host_begin(&h, parameters);
    bool good = true;
    float loss = 0, early = 0, late = 0;
    for (int step = 0; step < steps; step++) {
        const shape s = shapes[random_below(SHAPES)];
        int tokens[MOST] = {}, targets[MOST] = {};
        make_batch(tokens, targets, s);
        CHECK(cudaMemcpy(t.tokens, tokens, sizeof tokens, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(t.targets, targets, sizeof targets, cudaMemcpyHostToDevice));
        forward(&t, s);
        backward(&t, s);
        CHECK(cudaMemcpy(&loss, t.a.loss, sizeof loss, cudaMemcpyDeviceToHost));
        if (step < CHECKED)
            good &= step_agrees(&t, &h, tokens, targets, s, loss);
        adam<<<64, BLOCK>>>(t.parameters, t.first, t.second, t.d_parameters, t.count, rate,
                            (float)(1 - pow(0.9, step + 1)), (float)(1 - pow(0.99, step + 1)));
        if (step < CHECKED)
            good &= parameters_agree(&t, &h, step, rate);
        CHECK(cudaGetLastError());
        if (step < 5)
            early += loss / 5;
        if (step >= steps - 5)
            late += loss / 5;
        if (step % 10 == 0 || step == steps - 1)
            printf("step %d: %d sequences of %d words, loss %.4f\n", step, s.sequences, s.length, loss);
    }
    CHECK(cudaDeviceSynchronize());
    good &= steps < 20 || late < 0.8f * early;
    puts(good ? "PASSED" : "FAILED");
    return good ? 0 : 1;
}
