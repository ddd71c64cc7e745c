/* The kernels of gpt.cu. */
#ifndef GPT_KERNELS_H
#define GPT_KERNELS_H

#include "gpt_model.h"

enum { TILE = 16, WARP = 32, BLOCK = 128 };

__device__ float warp_sum(float value)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(~0u, value, step);
    return value;
}

__device__ float warp_max(float value)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        value = fmaxf(value, __shfl_xor_sync(~0u, value, step));
    return value;
}

__global__ void embed(float *out, const int *tokens, const float *words, const float *positions, int rows, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / CHANNELS, c = i % CHANNELS;
    if (row < rows)
        out[i] = words[tokens[row] * CHANNELS + c] + positions[row % length * CHANNELS + c];
}

/* A thread for each word and channel looks for its tokens: no atomics, so the sum has one order. */
__global__ void embed_words_backward(float *d_words, const int *tokens, const float *d_out, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, word = i / CHANNELS, c = i % CHANNELS;
    float sum = 0;
    for (int row = 0; row < rows; row++)
        if (tokens[row] == word)
            sum += d_out[row * CHANNELS + c];
    d_words[i] += sum;
}

__global__ void embed_positions_backward(float *d_positions, const float *d_out, int rows, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, position = i / CHANNELS, c = i % CHANNELS;
    float sum = 0;
    for (int row = position; row < rows && position < length; row += length)
        sum += d_out[row * CHANNELS + c];
    d_positions[i] = sum;
}

/* A warp a row. */
__global__ void norm_forward(float *out, float *means, float *scales, const float *in, const float *w, const float *b,
                             int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    const float *x = in + row * CHANNELS;
    float sum = 0, squares = 0;
    for (int c = lane; c < CHANNELS; c += WARP)
        sum += x[c];
    float mean = warp_sum(sum) / CHANNELS;
    for (int c = lane; c < CHANNELS; c += WARP)
        squares += (x[c] - mean) * (x[c] - mean);
    float scale = rsqrtf(warp_sum(squares) / CHANNELS + 1e-5f);
    for (int c = lane; c < CHANNELS; c += WARP)
        out[row * CHANNELS + c] = (x[c] - mean) * scale * w[c] + b[c];
    if (lane == 0)
        means[row] = mean, scales[row] = scale;
}

/* Adds to d_in. */
__global__ void norm_backward(float *d_in, const float *d_out, const float *in, const float *w, const float *means,
                              const float *scales, int rows, bool add)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    float mean = means[row], scale = scales[row], sum = 0, product = 0;
    for (int c = lane; c < CHANNELS; c += WARP) {
        float d = d_out[row * CHANNELS + c] * w[c];
        sum += d;
        product += d * (in[row * CHANNELS + c] - mean) * scale;
    }
    sum = warp_sum(sum) / CHANNELS;
    product = warp_sum(product) / CHANNELS;
    for (int c = lane; c < CHANNELS; c += WARP) {
        int i = row * CHANNELS + c;
        float d = (d_out[i] * w[c] - sum - (in[i] - mean) * scale * product) * scale;
        d_in[i] = add ? d_in[i] + d : d;
    }
}

/* A block a channel. */
__global__ void norm_weights_backward(float *d_w, float *d_b, const float *d_out, const float *in, const float *means,
                                      const float *scales, int rows)
{
    int c = blockIdx.x, lane = threadIdx.x;
    float w = 0, b = 0;
    for (int row = lane; row < rows; row += WARP) {
        float d = d_out[row * CHANNELS + c];
        w += d * (in[row * CHANNELS + c] - means[row]) * scales[row];
        b += d;
    }
    w = warp_sum(w), b = warp_sum(b);
    if (lane == 0)
        d_w[c] = w, d_b[c] = b;
}

/* out = a b + bias, with a (m x k) and b (k x n), each of them perhaps stored transposed. */
template <bool TRANSPOSED_A, bool TRANSPOSED_B>
__global__ void multiply(float *out, const float *a, const float *b, const float *bias, int m, int n, int k)
{
    __shared__ float tile_a[TILE][TILE + 1], tile_b[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    int row_x = blockIdx.y * TILE + x, column_y = blockIdx.x * TILE + y;
    float sum = 0;
    for (int at = 0; at < k; at += TILE) {
        if (TRANSPOSED_A)
            tile_a[x][y] = row_x < m && at + y < k ? a[(at + y) * m + row_x] : 0;
        else
            tile_a[y][x] = row < m && at + x < k ? a[row * k + at + x] : 0;
        if (TRANSPOSED_B)
            tile_b[x][y] = column_y < n && at + x < k ? b[column_y * k + at + x] : 0;
        else
            tile_b[y][x] = column < n && at + y < k ? b[(at + y) * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    if (row < m && column < n)
        out[row * n + column] = sum + (bias ? bias[column] : 0);
}

__global__ void column_sums(float *out, const float *in, int rows, int columns)
{
    int column = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    float sum = 0;
    for (int row = lane; row < rows; row += WARP)
        sum += in[row * columns + column];
    sum = warp_sum(sum);
    if (lane == 0)
        out[column] = sum;
}

/* Rows of qkv have q, k and v of all heads; `weights` is [sequence][head][query][key]. */
__device__ const float *part(const float *qkv, int sequence, int length, int position, int which, int head)
{
    return qkv + ((sequence * length + position) * 3 + which) * CHANNELS + head * SIZE;
}

__global__ void attention_scores(float *weights, const float *qkv, int length)
{
    int key = blockIdx.x * blockDim.x + threadIdx.x, query = blockIdx.y * blockDim.y + threadIdx.y;
    int head = blockIdx.z % HEADS, sequence = blockIdx.z / HEADS;
    const float *q = part(qkv, sequence, length, query, 0, head), *k = part(qkv, sequence, length, key, 1, head);
    float sum = 0;
    if (key <= query)
        for (int i = 0; i < SIZE; i++)
            sum += q[i] * k[i];
    weights[(blockIdx.z * length + query) * length + key] = sum * rsqrtf(SIZE);
}

__global__ void attention_softmax(float *weights, int rows, int length)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP, query = row % length;
    if (row >= rows)
        return;
    float *w = weights + row * length, highest = -INFINITY, sum = 0;
    for (int key = lane; key <= query; key += WARP)
        highest = fmaxf(highest, w[key]);
    highest = warp_max(highest);
    for (int key = lane; key <= query; key += WARP)
        sum += expf(w[key] - highest);
    sum = warp_sum(sum);
    for (int key = lane; key < length; key += WARP)
        w[key] = key <= query ? expf(w[key] - highest) / sum : 0;
}

__global__ void attention_values(float *out, const float *weights, const float *qkv, int length)
{
    int i = threadIdx.x % SIZE, query = blockIdx.x * (BLOCK / SIZE) + threadIdx.x / SIZE;
    int head = blockIdx.z % HEADS, sequence = blockIdx.z / HEADS;
    float sum = 0;
    for (int key = 0; key <= query; key++)
        sum += weights[(blockIdx.z * length + query) * length + key] * part(qkv, sequence, length, key, 2, head)[i];
    out[(sequence * length + query) * CHANNELS + head * SIZE + i] = sum;
}

/* The gradient of the weights, and with it that of the scores: a warp a row. */
__global__ void attention_weights_backward(float *d_weights, const float *weights, const float *d_out, const float *qkv,
                                           int length)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP, query = row % length;
    int head = row / length % HEADS, sequence = row / length / HEADS;
    const float *w = weights + row * length, *d = d_out + (sequence * length + query) * CHANNELS + head * SIZE;
    float sum = 0, own[LONGEST / WARP];
    for (int part_of = 0; part_of < LONGEST / WARP; part_of++) {
        int key = part_of * WARP + lane;
        own[part_of] = 0;
        if (key <= query)
            for (int i = 0; i < SIZE; i++)
                own[part_of] += d[i] * part(qkv, sequence, length, key, 2, head)[i];
        sum += key <= query ? own[part_of] * w[key] : 0;
    }
    sum = warp_sum(sum);
    for (int part_of = 0; part_of < LONGEST / WARP; part_of++) {
        int key = part_of * WARP + lane;
        if (key < length)
            d_weights[row * length + key] = key <= query ? w[key] * (own[part_of] - sum) * rsqrtf(SIZE) : 0;
    }
}

__global__ void attention_query_backward(float *d_qkv, const float *d_weights, const float *qkv, int length)
{
    int i = threadIdx.x % SIZE, query = blockIdx.x * (BLOCK / SIZE) + threadIdx.x / SIZE;
    int head = blockIdx.z % HEADS, sequence = blockIdx.z / HEADS;
    float sum = 0;
    for (int key = 0; key <= query; key++)
        sum += d_weights[(blockIdx.z * length + query) * length + key] * part(qkv, sequence, length, key, 1, head)[i];
    d_qkv[(sequence * length + query) * 3 * CHANNELS + head * SIZE + i] = sum;
}

__global__ void attention_key_backward(float *d_qkv, const float *d_weights, const float *weights, const float *d_out,
                                       const float *qkv, int length)
{
    int i = threadIdx.x % SIZE, key = blockIdx.x * (BLOCK / SIZE) + threadIdx.x / SIZE;
    int head = blockIdx.z % HEADS, sequence = blockIdx.z / HEADS;
    float d_key = 0, d_value = 0;
    for (int query = key; query < length; query++) {
        int at = (blockIdx.z * length + query) * length + key;
        d_key += d_weights[at] * part(qkv, sequence, length, query, 0, head)[i];
        d_value += weights[at] * d_out[(sequence * length + query) * CHANNELS + head * SIZE + i];
    }
    float *d = d_qkv + (sequence * length + key) * 3 * CHANNELS + head * SIZE + i;
    d[CHANNELS] = d_key, d[2 * CHANNELS] = d_value;
}

__global__ void add(float *out, const float *a, const float *b, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = a[i] + b[i];
}

__global__ void gelu_forward(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = 0.5f * in[i] * (1 + erff(in[i] * 0.70710678f));
}

__global__ void gelu_backward(float *d, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float x = in[i];
    d[i] *= 0.5f * (1 + erff(x * 0.70710678f)) + x * 0.39894228f * expf(-0.5f * x * x);
}

/* A warp a row. The logits become their gradients. */
__global__ void cross_entropy(float *losses, float *logits, const int *targets, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    float *l = logits + row * WORDS, highest = -INFINITY, sum = 0;
    for (int word = lane; word < WORDS; word += WARP)
        highest = fmaxf(highest, l[word]);
    highest = warp_max(highest);
    for (int word = lane; word < WORDS; word += WARP)
        sum += expf(l[word] - highest);
    sum = warp_sum(sum);
    if (lane == 0)
        losses[row] = logf(sum) + highest - l[targets[row]];
    __syncwarp();
    for (int word = lane; word < WORDS; word += WARP)
        l[word] = (expf(l[word] - highest) / sum - (word == targets[row])) / rows;
}

__global__ void mean_loss(float *loss, const float *losses, int rows)
{
    float sum = 0;
    for (int row = threadIdx.x; row < rows; row += WARP)
        sum += losses[row];
    sum = warp_sum(sum);
    if (threadIdx.x == 0)
        *loss = sum / rows;
}

__global__ void adam(float *parameters, float *first, float *second, const float *gradients, int count, float rate,
                     float correct1, float correct2)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float d = gradients[i], m = first[i] = 0.9f * first[i] + 0.1f * d;
        float v = second[i] = 0.99f * second[i] + 0.01f * d * d;
        parameters[i] -= rate * (m / correct1) / (sqrtf(v / correct2) + 1e-6f);
    }
}

#endif
