/* The same passes on the host, in double precision. */
#ifndef GPT_HOST_H
#define GPT_HOST_H

#include <cmath>
#include <vector>

#include "gpt_model.h"

struct host {
    std::vector<double> parameters, gradients, first, second, storage;
    model<double> w, d;
    activations<double> a;
};

static void host_linear(double *out, const double *in, const double *w, const double *bias, int rows, int n, int k)
{
    for (int row = 0; row < rows; row++)
        for (int j = 0; j < n; j++) {
            double sum = bias ? bias[j] : 0;
            for (int i = 0; i < k; i++)
                sum += in[row * k + i] * w[j * k + i];
            out[row * n + j] = sum;
        }
}

static void host_linear_backward(double *d_in, double *d_w, double *d_bias, const double *d_out, const double *in,
                                 const double *w, int rows, int n, int k)
{
    for (int i = 0; i < rows * k; i++)
        d_in[i] = 0;
    for (int row = 0; row < rows; row++)
        for (int j = 0; j < n; j++) {
            double d = d_out[row * n + j];
            if (d_bias)
                d_bias[j] += d;
            for (int i = 0; i < k; i++) {
                d_in[row * k + i] += d * w[j * k + i];
                d_w[j * k + i] += d * in[row * k + i];
            }
        }
}

static void host_norm(double *out, double *means, double *scales, const double *in, const double *w, const double *b,
                      int rows)
{
    for (int row = 0; row < rows; row++) {
        const double *x = in + row * CHANNELS;
        double mean = 0, squares = 0;
        for (int c = 0; c < CHANNELS; c++)
            mean += x[c] / CHANNELS;
        for (int c = 0; c < CHANNELS; c++)
            squares += (x[c] - mean) * (x[c] - mean) / CHANNELS;
        means[row] = mean, scales[row] = 1 / sqrt(squares + 1e-5);
        for (int c = 0; c < CHANNELS; c++)
            out[row * CHANNELS + c] = (x[c] - mean) * scales[row] * w[c] + b[c];
    }
}

static void host_norm_backward(double *d_in, double *d_w, double *d_b, const double *d_out, const double *in,
                               const double *w, const double *means, const double *scales, int rows, bool added)
{
    for (int row = 0; row < rows; row++) {
        double sum = 0, product = 0;
        for (int c = 0; c < CHANNELS; c++) {
            double d = d_out[row * CHANNELS + c], x = (in[row * CHANNELS + c] - means[row]) * scales[row];
            d_w[c] += d * x, d_b[c] += d;
            sum += d * w[c] / CHANNELS, product += d * w[c] * x / CHANNELS;
        }
        for (int c = 0; c < CHANNELS; c++) {
            int i = row * CHANNELS + c;
            double d = (d_out[i] * w[c] - sum - (in[i] - means[row]) * scales[row] * product) * scales[row];
            d_in[i] = added ? d_in[i] + d : d;
        }
    }
}

static void host_attention(double *out, double *weights, const double *qkv, shape s)
{
    for (int at = 0; at < s.sequences * HEADS * s.length; at++) {
        int query = at % s.length, head = at / s.length % HEADS, base = at / s.length / HEADS * s.length;
        const double *q = qkv + (base + query) * 3 * CHANNELS + head * SIZE;
        double *w = weights + at * s.length, sum = 0, *o = out + (base + query) * CHANNELS + head * SIZE;
        for (int key = 0; key <= query; key++) {
            const double *k = qkv + ((base + key) * 3 + 1) * CHANNELS + head * SIZE;
            double product = 0;
            for (int i = 0; i < SIZE; i++)
                product += q[i] * k[i] / sqrt((double)SIZE);
            sum += w[key] = exp(product);
        }
        for (int i = 0; i < SIZE; i++)
            o[i] = 0;
        for (int key = 0; key <= query; key++) {
            w[key] /= sum;
            for (int i = 0; i < SIZE; i++)
                o[i] += w[key] * qkv[((base + key) * 3 + 2) * CHANNELS + head * SIZE + i];
        }
    }
}

static void host_attention_backward(double *d_qkv, const double *d_out, const double *weights, const double *qkv,
                                    shape s)
{
    for (int i = 0; i < s.rows() * 3 * CHANNELS; i++)
        d_qkv[i] = 0;
    for (int at = 0; at < s.sequences * HEADS * s.length; at++) {
        int query = at % s.length, head = at / s.length % HEADS, base = at / s.length / HEADS * s.length;
        const double *w = weights + at * s.length, *d = d_out + (base + query) * CHANNELS + head * SIZE;
        double own[LONGEST], sum = 0;
        for (int key = 0; key <= query; key++) {
            own[key] = 0;
            for (int i = 0; i < SIZE; i++)
                own[key] += d[i] * qkv[((base + key) * 3 + 2) * CHANNELS + head * SIZE + i];
            sum += own[key] * w[key];
        }
        int q = (base + query) * 3 * CHANNELS + head * SIZE;
        for (int key = 0; key <= query; key++) {
            int k = ((base + key) * 3 + 1) * CHANNELS + head * SIZE;
            double score = w[key] * (own[key] - sum) / sqrt((double)SIZE);
            for (int i = 0; i < SIZE; i++) {
                d_qkv[q + i] += score * qkv[k + i];
                d_qkv[k + i] += score * qkv[q + i];
                d_qkv[k + CHANNELS + i] += w[key] * d[i];
            }
        }
    }
}

static double host_loss(double *logits, const int *targets, int rows)
{
    double loss = 0;
    for (int row = 0; row < rows; row++) {
        double *l = logits + row * WORDS, sum = 0;
        for (int word = 0; word < WORDS; word++)
            sum += exp(l[word]);
        loss += (log(sum) - l[targets[row]]) / rows;
        for (int word = 0; word < WORDS; word++)
            l[word] = (exp(l[word]) / sum - (word == targets[row])) / rows;
    }
    return loss;
}

static double host_forward(host *h, const int *tokens, const int *targets, shape s)
{
    const int rows = s.rows();
    activations<double> *a = &h->a;
    for (int i = 0; i < rows * CHANNELS; i++)
        a->layers[0].in[i] = h->w.words[tokens[i / CHANNELS] * CHANNELS + i % CHANNELS] +
                             h->w.positions[i / CHANNELS % s.length * CHANNELS + i % CHANNELS];
    for (int n = 0; n < LAYERS; n++) {
        auto &x = a->layers[n];
        const layer<double> &w = h->w.layers[n];
        double *out = n + 1 < LAYERS ? a->layers[n + 1].in : a->out;
        host_norm(x.norm1, x.mean1, x.scale1, x.in, w.norm1_w, w.norm1_b, rows);
        host_linear(x.qkv, x.norm1, w.qkv_w, w.qkv_b, rows, 3 * CHANNELS, CHANNELS);
        host_attention(x.attended, x.weights, x.qkv, s);
        host_linear(a->branch, x.attended, w.proj_w, w.proj_b, rows, CHANNELS, CHANNELS);
        for (int i = 0; i < rows * CHANNELS; i++)
            x.middle[i] = x.in[i] + a->branch[i];
        host_norm(x.norm2, x.mean2, x.scale2, x.middle, w.norm2_w, w.norm2_b, rows);
        host_linear(x.up, x.norm2, w.up_w, w.up_b, rows, 4 * CHANNELS, CHANNELS);
        for (int i = 0; i < rows * 4 * CHANNELS; i++)
            x.gelu[i] = 0.5 * x.up[i] * (1 + erf(x.up[i] * sqrt(0.5)));
        host_linear(a->branch, x.gelu, w.down_w, w.down_b, rows, CHANNELS, 4 * CHANNELS);
        for (int i = 0; i < rows * CHANNELS; i++)
            out[i] = x.middle[i] + a->branch[i];
    }
    host_norm(a->norm, a->mean, a->scale, a->out, h->w.norm_w, h->w.norm_b, rows);
    host_linear(a->logits, a->norm, h->w.words, NULL, rows, WORDS, CHANNELS);
    return host_loss(a->logits, targets, rows);
}

static void host_layer_backward(host *h, shape s, int n)
{
    const int rows = s.rows();
    activations<double> *a = &h->a;
    auto &x = a->layers[n];
    const layer<double> &w = h->w.layers[n], &d = h->d.layers[n];
    host_linear_backward(a->d_up, d.down_w, d.down_b, a->d_stream, x.gelu, w.down_w, rows, CHANNELS, 4 * CHANNELS);
    for (int i = 0; i < rows * 4 * CHANNELS; i++)
        a->d_up[i] *= 0.5 * (1 + erf(x.up[i] * sqrt(0.5))) + x.up[i] * exp(-0.5 * x.up[i] * x.up[i]) / sqrt(2 * M_PI);
    host_linear_backward(a->d_norm, d.up_w, d.up_b, a->d_up, x.norm2, w.up_w, rows, 4 * CHANNELS, CHANNELS);
    host_norm_backward(a->d_stream, d.norm2_w, d.norm2_b, a->d_norm, x.middle, w.norm2_w, x.mean2, x.scale2, rows,
                       true);
    host_linear_backward(a->d_attended, d.proj_w, d.proj_b, a->d_stream, x.attended, w.proj_w, rows, CHANNELS,
                         CHANNELS);
    host_attention_backward(a->d_qkv, a->d_attended, x.weights, x.qkv, s);
    host_linear_backward(a->d_norm, d.qkv_w, d.qkv_b, a->d_qkv, x.norm1, w.qkv_w, rows, 3 * CHANNELS, CHANNELS);
    host_norm_backward(a->d_stream, d.norm1_w, d.norm1_b, a->d_norm, x.in, w.norm1_w, x.mean1, x.scale1, rows, true);
}

static void host_backward(host *h, const int *tokens, shape s)
{
    const int rows = s.rows();
    activations<double> *a = &h->a;
    h->gradients.assign(h->gradients.size(), 0);
    host_linear_backward(a->d_norm, h->d.words, NULL, a->logits, a->norm, h->w.words, rows, WORDS, CHANNELS);
    host_norm_backward(a->d_stream, h->d.norm_w, h->d.norm_b, a->d_norm, a->out, h->w.norm_w, a->mean, a->scale, rows,
                       false);
    for (int n = LAYERS - 1; n >= 0; n--)
        host_layer_backward(h, s, n);
    for (int i = 0; i < rows * CHANNELS; i++) {
        h->d.words[tokens[i / CHANNELS] * CHANNELS + i % CHANNELS] += a->d_stream[i];
        h->d.positions[i / CHANNELS % s.length * CHANNELS + i % CHANNELS] += a->d_stream[i];
    }
}

static void host_adam(host *h, int step, double rate)
{
    for (size_t i = 0; i < h->parameters.size(); i++) {
        double d = h->gradients[i];
        h->first[i] = 0.9 * h->first[i] + 0.1 * d;
        h->second[i] = 0.99 * h->second[i] + 0.01 * d * d;
        h->parameters[i] -=
            rate * (h->first[i] / (1 - pow(0.9, step + 1))) / (sqrt(h->second[i] / (1 - pow(0.99, step + 1))) + 1e-6);
    }
}

#endif
