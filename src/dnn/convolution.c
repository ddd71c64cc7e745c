#include "dnn/convolution.h"

#include <stdio.h>

enum { MOST = INT32_MAX, MOST_BLOCKS = 65535 };

/* Space is padded at its front with dimensions of one element. */
static bool place_tensor(struct dnn_tensor *out, const struct dnn_shape *in, int space)
{
    if (in->count != space + 2)
        return false;
    for (int d = 0; d < DNN_DIMENSIONS; d++) {
        int from = d < 2 ? d : d - (DNN_SPACE - space);
        bool there = d < 2 || from >= 2;
        if (there && (in->sizes[from] < 1 || in->sizes[from] > MOST))
            return false;
        out->sizes[d] = there ? (unsigned)in->sizes[from] : 1;
        out->steps[d] = there ? in->steps[from] : 0;
    }
    return true;
}

static bool place_space(struct convolution_arguments *g, const struct convolution_shape *s)
{
    for (int d = 0; d < DNN_SPACE; d++) {
        int from = d - (DNN_SPACE - s->space);
        if (from >= 0 && (s->before[from] < 0 || s->stride[from] < 1 || s->dilation[from] < 1 ||
                          s->before[from] > MOST || s->stride[from] > MOST || s->dilation[from] > MOST))
            return false;
        g->padding[d] = from >= 0 ? (int)s->before[from] : 0;
        g->stride[d] = from >= 0 ? (int)s->stride[from] : 1;
        g->dilation[d] = from >= 0 ? (int)s->dilation[from] : 1;
    }
    return true;
}

/* Whether each size of the output is the one that the input, the filter and the padding give. */
static bool sizes_agree(const struct convolution_arguments *g, const struct convolution_shape *s)
{
    for (int d = 0; d < DNN_SPACE; d++) {
        int from = d - (DNN_SPACE - s->space);
        int64_t padded = (int64_t)g->x.sizes[2 + d] + (from >= 0 ? s->before[from] + s->after[from] : 0);
        int64_t room = padded - (int64_t)g->dilation[d] * (g->w.sizes[2 + d] - 1) - 1;
        if (room < 0 || room / g->stride[d] + 1 != g->y.sizes[2 + d])
            return false;
    }
    return g->x.sizes[0] == g->y.sizes[0] && g->w.sizes[0] == g->y.sizes[1] && g->x.sizes[1] % g->w.sizes[1] == 0 &&
           g->y.sizes[1] % (g->x.sizes[1] / g->w.sizes[1]) == 0;
}

static uint64_t positions(const struct dnn_tensor *t) { return (uint64_t)t->sizes[2] * t->sizes[3] * t->sizes[4]; }

/* Rows, columns and the length of the sums. Returns false if a count is too large for the kernels. */
static bool place_product(struct convolution_arguments *g, enum convolution_kind kind)
{
    uint64_t taps = positions(&g->w), outputs = positions(&g->y), inputs = positions(&g->x);
    if (taps > MOST || outputs > MOST || inputs > MOST)
        return false;
    uint64_t rows = kind == CONVOLUTION_FORWARD ? g->y.sizes[0] * outputs
                    : kind == CONVOLUTION_DATA  ? g->x.sizes[0] * inputs
                                                : g->inputs * taps;
    uint64_t depth = kind == CONVOLUTION_FORWARD ? g->inputs * taps
                     : kind == CONVOLUTION_DATA  ? g->outputs * taps
                                                 : g->y.sizes[0] * outputs;
    g->rows = (unsigned)rows;
    g->depth = (unsigned)depth;
    g->columns = kind == CONVOLUTION_DATA ? g->inputs : g->outputs;
    return rows <= MOST && depth <= MOST && g->groups <= MOST_BLOCKS && g->columns <= MOST_BLOCKS * DNN_TILE;
}

static bool place_addends(struct convolution_arguments *g, const struct convolution_shape *s)
{
    for (int i = 0; i < s->addend_count; i++) {
        struct dnn_tensor *t = &g->addends[i].tensor;
        if (!place_tensor(t, &s->addends[i], s->space))
            return false;
        for (int d = 0; d < DNN_DIMENSIONS; d++) {
            if (t->sizes[d] != g->y.sizes[d] && t->sizes[d] != 1)
                return false;
            t->steps[d] = t->sizes[d] == 1 ? 0 : t->steps[d];
        }
        g->addends[i].scale = s->scales[i];
    }
    g->addend_count = (unsigned)s->addend_count;
    g->positive = s->positive;
    return true;
}

static bool types_agree(const struct convolution_shape *s)
{
    bool agree = s->x.type == s->w.type && s->x.type == s->y.type && dnn_type_name(s->x.type) != NULL;
    for (int i = 0; i < s->addend_count; i++)
        agree = agree && s->addends[i].type == s->x.type;
    return agree;
}

cudnnStatus_t convolution_make(const struct convolution_shape *s, struct convolution *out)
{
    struct convolution_arguments g = {.flipped = s->flipped, .alpha = s->alpha, .beta = s->beta};
    if (s->space < 1 || s->space > DNN_SPACE || !types_agree(s))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (!place_tensor(&g.x, &s->x, s->space) || !place_tensor(&g.w, &s->w, s->space) ||
        !place_tensor(&g.y, &s->y, s->space) || !place_space(&g, s) || !sizes_agree(&g, s) || !place_addends(&g, s))
        return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
    g.inputs = g.w.sizes[1];
    g.groups = g.x.sizes[1] / g.inputs;
    g.outputs = g.y.sizes[1] / g.groups;
    if (!place_product(&g, s->kind))
        return CUDNN_STATUS_NOT_SUPPORTED;
    *out = (struct convolution){.kind = s->kind, .type = s->x.type, .arguments = g};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t convolution_run(const struct dnn *dnn, const struct convolution *convolution,
                              const void *const data[CONVOLUTION_TENSORS])
{
    static const char *const names[] = {"forward", "data", "filter"};
    struct convolution_arguments g = convolution->arguments;
    struct dnn_tensor *tensors[CONVOLUTION_TENSORS] = {&g.x, &g.w, &g.y, &g.addends[0].tensor, &g.addends[1].tensor};
    char kernel[64];
    for (unsigned i = 0; i < CONVOLUTION_ADDENDS + g.addend_count; i++) {
        if (data[i] == NULL)
            return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
        tensors[i]->data = (void *)(uintptr_t)data[i];
    }
    snprintf(kernel, sizeof kernel, "subcore_convolution_%s_%s", names[convolution->kind],
             dnn_type_name(convolution->type));
    unsigned grid[3] = {(g.rows + DNN_TILE - 1) / DNN_TILE, (g.columns + DNN_TILE - 1) / DNN_TILE, g.groups};
    return dnn_launch(dnn, DNN_CONVOLUTION, kernel, grid, DNN_THREADS, &g);
}
