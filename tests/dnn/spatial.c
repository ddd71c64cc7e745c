/* Spatial transformers against the documented formulas in double on the host. Gradients are compared with sums that are
 * scattered from the output. */
#include <math.h>

#include "tests/dnn/rig.h"

struct spatial;

cudnnStatus_t cudnnCreateSpatialTransformerDescriptor(struct spatial **);
cudnnStatus_t cudnnDestroySpatialTransformerDescriptor(struct spatial *);
cudnnStatus_t cudnnSetSpatialTransformerNdDescriptor(struct spatial *, int, int, int, const int *);
cudnnStatus_t cudnnSpatialTfGridGeneratorForward(cudnnHandle_t, const struct spatial *, const void *, void *);
cudnnStatus_t cudnnSpatialTfGridGeneratorBackward(cudnnHandle_t, const struct spatial *, const void *, void *);
cudnnStatus_t cudnnSpatialTfSamplerForward(cudnnHandle_t, const struct spatial *, const void *, const struct tensor *,
                                           const void *, const void *, const void *, const struct tensor *, void *);
cudnnStatus_t cudnnSpatialTfSamplerBackward(cudnnHandle_t, const struct spatial *, const void *, const struct tensor *,
                                            const void *, const void *, const struct tensor *, void *, const void *,
                                            const struct tensor *, const void *, const void *, const void *, void *);

static const struct form {
    int type;
    bool last;
    double error;
    int images, channels, height, width, out_height, out_width;
} forms[] = {
    {DNN_F64, false, 1e-12, 2, 3, 5, 7, 4, 6},    {DNN_F64, true, 1e-12, 1, 11, 20, 18, 9, 40},
    {DNN_F32, false, 1e-4, 2, 9, 17, 33, 21, 13}, {DNN_F16, true, 2e-2, 2, 3, 5, 7, 4, 6},
    {DNN_BF16, false, 1e-1, 2, 3, 5, 7, 4, 6},    {DNN_F64, false, 1e-12, 1, 2, 1, 4, 3, 1},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

struct scene {
    const struct form *form;
    struct spatial *spatial;
    struct rig_tensor x, y, dx, grid, dgrid, theta;
    struct tensor *input, *output;
};

static struct scene begin(const struct form *f)
{
    const int in[] = {f->images, f->channels, f->height, f->width};
    const int out[] = {f->images, f->channels, f->out_height, f->out_width};
    const int grid[] = {f->images, f->out_height, f->out_width, 2}, theta[] = {f->images, 2, 3};
    rig_handle();
    struct scene s = {.form = f};
    s.x = rig_tensor(f->type, 4, in, f->last, 1);
    s.dx = rig_tensor(f->type, 4, in, !f->last, 2);
    s.y = rig_tensor(f->type, 4, out, f->last, 3);
    s.grid = rig_tensor(f->type, 4, grid, false, 4);
    s.dgrid = rig_tensor(f->type, 4, grid, false, 5);
    s.theta = rig_tensor(f->type, 3, theta, false, 6);
    rig_fine(&s.grid, 1.25, 7);
    s.input = rig_descriptor(&s.x);
    s.output = rig_descriptor(&s.y);
    GOOD(cudnnCreateSpatialTransformerDescriptor(&s.spatial));
    GOOD(cudnnSetSpatialTransformerNdDescriptor(s.spatial, 0, f->type, 4, out));
    return s;
}

static void end(struct scene *s)
{
    struct rig_tensor *all[] = {&s->x, &s->y, &s->dx, &s->grid, &s->dgrid, &s->theta};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rig_free(all[i]);
    GOOD(cudnnDestroyTensorDescriptor(s->input));
    GOOD(cudnnDestroyTensorDescriptor(s->output));
    GOOD(cudnnDestroySpatialTransformerDescriptor(s->spatial));
}

/* Scalars 2 and 0.5, in the type that the tensors ask for. */
static const double two = 2, half = 0.5;
static const float two_f = 2, half_f = 0.5;
#define TWO(s) ((s)->form->type == DNN_F64 ? (const void *)&two : &two_f)
#define HALF(s) ((s)->form->type == DNN_F64 ? (const void *)&half : &half_f)

/* ---- the formulas ------------------------------------------------------------------------------------------------ */

/* A position of the output, its place in the input, and the corner above on the left with the distances to it. */
struct point {
    int image, y, x;
    int top, left;
    double below, right;
};

static size_t in_grid(const struct form *f, const struct point *p)
{
    return (size_t)(2 * ((p->image * f->out_height + p->y) * f->out_width + p->x));
}

static struct point point_of(const struct scene *s, int i)
{
    const struct form *f = s->form;
    struct point p = {
        i / (f->out_height * f->out_width), i / f->out_width % f->out_height, i % f->out_width, 0, 0, 0, 0};
    double x = (s->grid.values[in_grid(f, &p)] + 1) / 2 * (f->width - 1);
    double y = (s->grid.values[in_grid(f, &p) + 1] + 1) / 2 * (f->height - 1);
    p.left = (int)floor(x);
    p.top = (int)floor(y);
    p.right = x - p.left;
    p.below = y - p.top;
    return p;
}

static int points(const struct form *f) { return f->images * f->out_height * f->out_width; }

/* The place of a corner (0 to 3) in a tensor like the input, or -1 around it. */
static long corner(const struct scene *s, const struct rig_tensor *t, const struct point *p, int channel, int which)
{
    int at[DNN_DIMENSIONS] = {p->image, channel, p->top + which / 2, p->left + which % 2};
    bool inside = at[2] >= 0 && at[2] < s->form->height && at[3] >= 0 && at[3] < s->form->width;
    return inside ? (long)rig_place(t, at) : -1;
}

static double weight(const struct point *p, int which)
{
    return (which % 2 ? p->right : 1 - p->right) * (which / 2 ? p->below : 1 - p->below);
}

static size_t in_output(const struct scene *s, const struct point *p, int channel)
{
    return rig_place(&s->y, (int[DNN_DIMENSIONS]){p->image, channel, p->y, p->x});
}

static void expect_sample(struct scene *s)
{
    for (int i = 0; i < points(s->form); i++)
        for (int c = 0; c < s->form->channels; c++) {
            struct point p = point_of(s, i);
            double sum = 0;
            for (int which = 0; which < 4; which++) {
                long at = corner(s, &s->x, &p, c, which);
                sum += at >= 0 ? weight(&p, which) * s->x.values[at] : 0;
            }
            double *y = &s->y.values[in_output(s, &p, c)];
            *y = 2 * sum + 0.5 * *y;
        }
}

static void expect_gradients(struct scene *s)
{
    const struct form *f = s->form;
    double *grid = s->dgrid.values;
    for (size_t i = 0; i + 3 < s->dx.elements; i++)
        s->dx.values[i] *= 0.5;
    for (int i = 0; i < points(f); i++) {
        struct point p = point_of(s, i);
        double along = 0, down = 0;
        for (int c = 0; c < f->channels; c++) {
            double dy = s->y.values[in_output(s, &p, c)];
            for (int which = 0; which < 4; which++) {
                long from = corner(s, &s->x, &p, c, which), to = corner(s, &s->dx, &p, c, which);
                if (from < 0)
                    continue;
                s->dx.values[to] += 2 * dy * weight(&p, which);
                along += dy * s->x.values[from] * (which % 2 ? 1 : -1) * (which / 2 ? p.below : 1 - p.below);
                down += dy * s->x.values[from] * (which / 2 ? 1 : -1) * (which % 2 ? p.right : 1 - p.right);
            }
        }
        size_t at = in_grid(f, &p);
        grid[at] = 2 * along * (f->width - 1) / 2 + 0.5 * grid[at];
        grid[at + 1] = 2 * down * (f->height - 1) / 2 + 0.5 * grid[at + 1];
    }
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void samples_agree_with_the_formula(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++) {
        struct scene s = begin(&forms[i]);
        GOOD(cudnnSpatialTfSamplerForward(rig_handle(), s.spatial, TWO(&s), s.input, rig_at(&s.x), rig_at(&s.grid),
                                          HALF(&s), s.output, rig_at(&s.y)));
        expect_sample(&s);
        rig_expect(&s.y, forms[i].error, "y");
        end(&s);
    }
}

static cudnnStatus_t backward(const struct scene *s, const struct tensor *dx)
{
    return cudnnSpatialTfSamplerBackward(rig_handle(), s->spatial, TWO(s), s->input, rig_at(&s->x), HALF(s), dx,
                                         rig_at(&s->dx), TWO(s), s->output, rig_at(&s->y), rig_at(&s->grid), HALF(s),
                                         rig_at(&s->dgrid));
}

static void gradients_of_samples_agree_with_sums(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++) {
        struct scene s = begin(&forms[i]);
        struct tensor *dx = rig_descriptor(&s.dx);
        GOOD(backward(&s, dx));
        expect_gradients(&s);
        rig_expect(&s.dx, 4 * forms[i].error, "dx");
        rig_expect(&s.dgrid, (forms[i].width + forms[i].height) * forms[i].error, "dgrid");
        GOOD(cudnnDestroyTensorDescriptor(dx));
        end(&s);
    }
}

/* The value that a factor of theta meets at a grid position: x, y or 1. */
static double factor(const struct form *f, int i, int which)
{
    int x = i % f->out_width, y = i / f->out_width % f->out_height;
    double along = f->out_width > 1 ? 2.0 * x / (f->out_width - 1) - 1 : 0;
    double down = f->out_height > 1 ? 2.0 * y / (f->out_height - 1) - 1 : 0;
    return which == 0 ? along : which == 1 ? down : 1;
}

static void affine_grids_and_their_gradients_agree(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++) {
        struct scene s = begin(&forms[i]);
        const struct form *f = &forms[i];
        int each = f->out_height * f->out_width;
        double sums[2 * 6] = {0};
        GOOD(cudnnSpatialTfGridGeneratorForward(rig_handle(), s.spatial, rig_at(&s.theta), rig_at(&s.grid)));
        for (int e = 0; e < points(f); e++)
            for (int axis = 0; axis < 2; axis++) {
                double *place = &s.grid.values[2 * e + axis];
                *place = 0;
                for (int k = 0; k < 3; k++)
                    *place += factor(f, e, k) * s.theta.values[e / each * 6 + axis * 3 + k];
            }
        rig_expect(&s.grid, f->error, "grid");
        GOOD(cudnnSpatialTfGridGeneratorBackward(rig_handle(), s.spatial, rig_at(&s.dgrid), rig_at(&s.theta)));
        for (int e = 0; e < points(f); e++)
            for (int k = 0; k < 6; k++)
                sums[e / each * 6 + k] += factor(f, e, k % 3) * s.dgrid.values[2 * e + k / 3];
        memcpy(s.theta.values, sums, (size_t)(f->images * 6) * sizeof *sums);
        rig_expect(&s.theta, 8 * f->error, "gradient of theta");
        end(&s);
    }
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    struct scene s = begin(&forms[0]);
    const int five[] = {1, 2, 3, 4, 5}, wrong[] = {2, 3, 0, 6}, other[] = {2, 3, 4, 5};
    struct tensor *dx = rig_descriptor(&s.dx);
    assert_int_equal(backward(&s, NULL), CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    assert_int_equal(backward(&s, s.output), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetSpatialTransformerNdDescriptor(s.spatial, 0, DNN_F64, 5, five),
                     CUDNN_STATUS_NOT_SUPPORTED);
    assert_int_equal(cudnnSetSpatialTransformerNdDescriptor(s.spatial, 0, 3, 4, five), CUDNN_STATUS_NOT_SUPPORTED);
    assert_int_equal(cudnnSetSpatialTransformerNdDescriptor(s.spatial, 1, DNN_F64, 4, five), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetSpatialTransformerNdDescriptor(s.spatial, 0, DNN_F64, 4, wrong), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSetSpatialTransformerNdDescriptor(s.spatial, 0, DNN_F64, 4, NULL),
                     CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    GOOD(cudnnSetSpatialTransformerNdDescriptor(s.spatial, 0, DNN_F64, 4, other));
    assert_int_equal(backward(&s, dx), CUDNN_STATUS_BAD_PARAM);
    assert_int_equal(cudnnSpatialTfGridGeneratorForward(rig_handle(), s.spatial, NULL, rig_at(&s.grid)),
                     CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    assert_int_equal(cudnnSpatialTfGridGeneratorForward(NULL, s.spatial, NULL, rig_at(&s.grid)),
                     CUDNN_STATUS_NOT_INITIALIZED);
    GOOD(cudnnDestroyTensorDescriptor(dx));
    end(&s);
}

UNIT_TESTS(UNIT(samples_agree_with_the_formula), UNIT(gradients_of_samples_agree_with_sums),
           UNIT(affine_grids_and_their_gradients_agree), UNIT(wrong_arguments_have_the_documented_status))
