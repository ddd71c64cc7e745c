/* The arrays of gpt.cu's transformer: parameters, gradients, and the intermediate results of a forward pass. */
#ifndef GPT_MODEL_H
#define GPT_MODEL_H

#include <cstddef>

enum { WORDS = 64, CHANNELS = 32, HEADS = 2, SIZE = CHANNELS / HEADS, LAYERS = 2, LONGEST = 64, MOST = 128 };
struct shape {
    int sequences, length;
    int rows() const { return sequences * length; }
};

/* All parameters lie in one array, and so do their gradients. */
template <typename T> struct layer {
    T *norm1_w, *norm1_b, *qkv_w, *qkv_b, *proj_w, *proj_b, *norm2_w, *norm2_b, *up_w, *up_b, *down_w, *down_b;
};

template <typename T> struct model {
    T *words, *positions, *norm_w, *norm_b;
    layer<T> layers[LAYERS];
};

template <typename T> size_t place(model<T> *m, T *base)
{
    T *at = base;
    auto take = [&at](size_t count) {
        T *array = at;
        at += count;
        return array;
    };
    const size_t c = CHANNELS;
    m->words = take(WORDS * c), m->positions = take(LONGEST * c);
    for (layer<T> &l : m->layers) {
        l.norm1_w = take(c), l.norm1_b = take(c), l.qkv_w = take(3 * c * c), l.qkv_b = take(3 * c);
        l.proj_w = take(c * c), l.proj_b = take(c), l.norm2_w = take(c), l.norm2_b = take(c);
        l.up_w = take(4 * c * c), l.up_b = take(4 * c), l.down_w = take(4 * c * c), l.down_b = take(c);
    }
    m->norm_w = take(c), m->norm_b = take(c);
    return (size_t)(at - base);
}

/* The forward pass leaves these for the backward pass, a row for each token. */
template <typename T> struct activations {
    struct {
        T *in, *norm1, *mean1, *scale1, *qkv, *weights, *attended, *middle, *norm2, *mean2, *scale2, *up, *gelu;
    } layers[LAYERS];
    T *out, *norm, *mean, *scale, *logits, *losses, *loss;
    T *branch;                                                    /* before it is added to the residual */
    T *d_stream, *d_norm, *d_up, *d_qkv, *d_attended, *d_weights; /* gradients */
};

template <typename T> size_t place(activations<T> *a, T *base)
{
    T *at = base;
    auto take = [&at](size_t count) {
        T *array = at;
        at += count;
        return array;
    };
    const size_t r = MOST, rc = r * CHANNELS, w = (size_t)HEADS * LONGEST * MOST;
    for (auto &l : a->layers) {
        l.in = take(rc), l.norm1 = take(rc), l.mean1 = take(r), l.scale1 = take(r), l.qkv = take(3 * rc);
        l.weights = take(w), l.attended = take(rc), l.middle = take(rc), l.norm2 = take(rc), l.mean2 = take(r);
        l.scale2 = take(r), l.up = take(4 * rc), l.gelu = take(4 * rc);
    }
    a->out = take(rc), a->norm = take(rc), a->mean = take(r), a->scale = take(r), a->logits = take(r * WORDS);
    a->losses = take(r), a->loss = take(1), a->branch = take(rc);
    a->d_stream = take(rc), a->d_norm = take(rc), a->d_up = take(4 * rc), a->d_qkv = take(3 * rc);
    a->d_attended = take(rc), a->d_weights = take(w);
    return (size_t)(at - base);
}

#endif
