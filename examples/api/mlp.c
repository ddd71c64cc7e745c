/* A multilayer perceptron in the size for MNIST digits (784 inputs, 128 hidden neurons, 10 classes) whose kernels
 * run on a simulated GPU instead of a real one. Only two things differ from a CUDA program: allocations and copies go
 * through subcore_*, and a launch is a call of launch() below instead of kernel<<<grid, block>>>(...). After each
 * kernel the program knows its cost.
 *
 *     mlp [--gpu NAME] [--functional] [--steps N] [--threads N] [--images FILE --labels FILE] [FOLDER OF THE CUBINS]
 *
 * Images and labels come from files in the form of MNIST's (IDX, without compression): steps take one batch after
 * another. Without files the program makes a batch, in which each class has a pattern of its own, and noise. Inference
 * of the first batch is compared with the CPU bit for bit. Then come steps of gradient descent, compared with the CPU's
 * up to rounding. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "subcore/subcore.h"

enum { BATCH = 32, INPUTS = 784, HIDDEN = 128, CLASSES = 10 };

static const float rate = 0.1f;

/* ---- the network, in host memory --------------------------------------------------------------------------------- */

struct network {
    float image[BATCH * INPUTS];
    unsigned label[BATCH];
    float weight1[INPUTS * HIDDEN], bias1[HIDDEN], weight2[HIDDEN * CLASSES], bias2[CLASSES];
    float hidden[BATCH * HIDDEN], score[BATCH * CLASSES];
    float score_gradient[BATCH * CLASSES], hidden_gradient[BATCH * HIDDEN];
    float weight1_gradient[INPUTS * HIDDEN], bias1_gradient[HIDDEN];
    float weight2_gradient[HIDDEN * CLASSES], bias2_gradient[CLASSES];
};

static float draw(unsigned *random)
{
    *random = *random * 1664525u + 1013904223u;
    return (float)(*random >> 8) / (float)(1 << 24);
}

static void prepare(struct network *n)
{
    unsigned random = 1;
    static float pattern[CLASSES][INPUTS];
    memset(n, 0, sizeof *n);
    for (unsigned c = 0; c < CLASSES; c++)
        for (unsigned i = 0; i < INPUTS; i++)
            pattern[c][i] = draw(&random) < 0.2f ? 1.0f : 0.0f;
    for (unsigned b = 0; b < BATCH; b++) {
        n->label[b] = b % CLASSES;
        for (unsigned i = 0; i < INPUTS; i++)
            n->image[b * INPUTS + i] = 0.7f * pattern[b % CLASSES][i] + 0.3f * draw(&random);
    }
    for (unsigned i = 0; i < INPUTS * HIDDEN; i++)
        n->weight1[i] = (draw(&random) - 0.5f) * 0.1f;
    for (unsigned i = 0; i < HIDDEN * CLASSES; i++)
        n->weight2[i] = (draw(&random) - 0.5f) * 0.2f;
}

/* ---- the user's images ------------------------------------------------------------------------------------------- */

struct images {
    unsigned char *pixels, *labels; /* NULL: the batch is made */
    unsigned count;                 /* BATCH or more */
};

static void refuse(const char *path, const char *why)
{
    fprintf(stderr, "mlp: %s %s\n", path, why);
    exit(1);
}

static unsigned big_endian(const unsigned char *at)
{
    return (unsigned)at[0] << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3];
}

/* Reads an IDX file with `dimensions` dimensions, whose items have `size` bytes each. Sets *count to their number. */
static unsigned char *read_idx(const char *path, unsigned dimensions, unsigned size, unsigned *count)
{
    unsigned char head[16];
    FILE *file = fopen(path, "rb");
    if (!file)
        refuse(path, "cannot be read");
    size_t bytes = 4 + 4 * (size_t)dimensions;
    if (fread(head, 1, bytes, file) != bytes || big_endian(head) != 0x800 + dimensions)
        refuse(path, dimensions == 3 ? "is no IDX file of images" : "is no IDX file of labels");
    *count = big_endian(head + 4);
    if (dimensions == 3 && (big_endian(head + 8) != 28 || big_endian(head + 12) != 28))
        refuse(path, "has images of another size than 28 x 28");
    if (*count < BATCH || *count > 1000000)
        refuse(path, "has fewer than 32 items, or more than a million");
    unsigned char *data = malloc((size_t)*count * size);
    if (!data || fread(data, size, *count, file) != *count)
        refuse(path, "ends before its last item");
    fclose(file);
    return data;
}

static struct images read_images(const char *image_path, const char *label_path)
{
    struct images images = {0};
    unsigned labels;
    if (!image_path && !label_path)
        return images;
    if (!image_path || !label_path)
        refuse(image_path ? image_path : label_path, "is not enough: --images and --labels go together");
    images.pixels = read_idx(image_path, 3, INPUTS, &images.count);
    images.labels = read_idx(label_path, 1, 1, &labels);
    if (labels != images.count)
        refuse(label_path, "has another number of items than the images");
    for (unsigned i = 0; i < labels; i++)
        if (images.labels[i] >= CLASSES)
            refuse(label_path, "has a label that is no digit");
    return images;
}

/* Takes the batch with this number, counted around. */
static void take_batch(struct network *n, const struct images *images, unsigned number)
{
    unsigned first = number % (images->count / BATCH) * BATCH;
    for (unsigned i = 0; i < BATCH * INPUTS; i++)
        n->image[i] = (float)images->pixels[(size_t)first * INPUTS + i] / 255.0f;
    for (unsigned b = 0; b < BATCH; b++)
        n->label[b] = images->labels[first + b];
}

/* ---- on the CPU: the work of the kernels, in their order -------------------------------------------------------- */

struct matrix {
    const float *at;
    unsigned row, column; /* distances between elements */
};

static void gemm(struct matrix a, struct matrix b, const float *bias, float *c, unsigned m, unsigned n, unsigned depth,
                 bool relu)
{
    for (unsigned i = 0; i < m; i++)
        for (unsigned j = 0; j < n; j++) {
            float sum = bias ? bias[j] : 0;
            for (unsigned k = 0; k < depth; k++)
                sum = fmaf(a.at[i * a.row + k * a.column], b.at[k * b.row + j * b.column], sum);
            c[i * n + j] = relu && sum < 0 ? 0 : sum;
        }
}

static void infer_on_cpu(struct network *n)
{
    gemm((struct matrix){n->image, INPUTS, 1}, (struct matrix){n->weight1, HIDDEN, 1}, n->bias1, n->hidden, BATCH,
         HIDDEN, INPUTS, true);
    gemm((struct matrix){n->hidden, HIDDEN, 1}, (struct matrix){n->weight2, CLASSES, 1}, n->bias2, n->score, BATCH,
         CLASSES, HIDDEN, false);
}

static void softmax_gradient(struct network *n)
{
    for (unsigned b = 0; b < BATCH; b++) {
        const float *s = &n->score[b * CLASSES];
        float most = s[0], sum = 0;
        for (unsigned c = 1; c < CLASSES; c++)
            most = fmaxf(most, s[c]);
        for (unsigned c = 0; c < CLASSES; c++)
            sum += expf(s[c] - most);
        for (unsigned c = 0; c < CLASSES; c++)
            n->score_gradient[b * CLASSES + c] =
                (expf(s[c] - most) / sum - (c == n->label[b] ? 1.0f : 0.0f)) / (float)BATCH;
    }
}

static void column_sums(const float *a, float *sum, unsigned rows, unsigned columns)
{
    for (unsigned j = 0; j < columns; j++) {
        sum[j] = 0;
        for (unsigned i = 0; i < rows; i++)
            sum[j] += a[i * columns + j];
    }
}

static void descend(float *weight, const float *gradient, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        weight[i] = fmaf(-rate, gradient[i], weight[i]);
}

static void train_on_cpu(struct network *n)
{
    infer_on_cpu(n);
    softmax_gradient(n);
    gemm((struct matrix){n->hidden, 1, HIDDEN}, (struct matrix){n->score_gradient, CLASSES, 1}, NULL,
         n->weight2_gradient, HIDDEN, CLASSES, BATCH, false);
    column_sums(n->score_gradient, n->bias2_gradient, BATCH, CLASSES);
    gemm((struct matrix){n->score_gradient, CLASSES, 1}, (struct matrix){n->weight2, 1, CLASSES}, NULL,
         n->hidden_gradient, BATCH, HIDDEN, CLASSES, false);
    for (unsigned i = 0; i < BATCH * HIDDEN; i++)
        n->hidden_gradient[i] = n->hidden[i] <= 0 ? 0 : n->hidden_gradient[i];
    gemm((struct matrix){n->image, 1, INPUTS}, (struct matrix){n->hidden_gradient, HIDDEN, 1}, NULL,
         n->weight1_gradient, INPUTS, HIDDEN, BATCH, false);
    column_sums(n->hidden_gradient, n->bias1_gradient, BATCH, HIDDEN);
    descend(n->weight1, n->weight1_gradient, INPUTS * HIDDEN);
    descend(n->bias1, n->bias1_gradient, HIDDEN);
    descend(n->weight2, n->weight2_gradient, HIDDEN * CLASSES);
    descend(n->bias2, n->bias2_gradient, CLASSES);
}

static unsigned right_answers(const struct network *n)
{
    unsigned right = 0;
    for (unsigned b = 0; b < BATCH; b++) {
        unsigned best = 0;
        for (unsigned c = 1; c < CLASSES; c++)
            best = n->score[b * CLASSES + c] > n->score[b * CLASSES + best] ? c : best;
        right += best == n->label[b];
    }
    return right;
}

/* ---- on the simulated GPU ---------------------------------------------------------------------------------------- */

struct device {
    struct subcore_gpu *gpu;
    struct subcore_module *module;
    bool functional, quiet;
    uint64_t network; /* device address of a struct network */
    uint64_t launches, cycles, instructions;
};

static void must(bool ok, const struct subcore_error *error)
{
    if (ok)
        return;
    fprintf(stderr, "mlp: %s\n", error->text);
    exit(1);
}

/* Instead of kernel<<<grid, block>>>(arguments): `what` is for the table. */
static void launch(struct device *d, const char *what, const char *kernel, const uint32_t grid[2],
                   const uint32_t block[2], const void *const *arguments)
{
    struct subcore_error error = {0};
    struct subcore_statistics s;
    const struct subcore_launch l = {
        .kernel = subcore_kernel(d->module, kernel, &error),
        .grid = {grid[0], grid[1], 1},
        .block = {block[0], block[1], 1},
        .arguments = arguments,
        .functional = d->functional,
    };
    must(l.kernel && subcore_run(d->gpu, &l, &s, &error), &error);
    d->launches++;
    d->cycles += s.cycles;
    d->instructions += s.warp_instructions;
    if (d->quiet)
        return;
    printf("%-28s %6llu %12llu", what, (unsigned long long)s.ctas, (unsigned long long)s.warp_instructions);
    if (s.detailed)
        printf(" %10llu %8.2f %10.1f", (unsigned long long)s.cycles, 1e6 * s.seconds, (double)s.dram_read_bytes / 1000);
    putchar('\n');
}

/* Where a member of the network is on the device. */
#define AT(device, member) ((device)->network + offsetof(struct network, member))

struct place {
    uint64_t at;
    unsigned row, column;
};

static void launch_gemm(struct device *d, const char *what, struct place a, struct place b, uint64_t bias, uint64_t c,
                        const unsigned size[3], unsigned relu)
{
    enum { TILE = 16 };
    const uint32_t grid[2] = {(size[1] + TILE - 1) / TILE, (size[0] + TILE - 1) / TILE}, block[2] = {TILE, TILE};
    const void *const arguments[] = {&a.at, &a.row, &a.column, &b.at,    &b.row,   &b.column,
                                     &bias, &c,     &size[0],  &size[1], &size[2], &relu};
    launch(d, what, "gemm", grid, block, arguments);
}

/* A thread for each of `count` elements. */
static void launch_flat(struct device *d, const char *what, const char *kernel, unsigned count,
                        const void *const *arguments)
{
    enum { THREADS = 128 };
    const uint32_t grid[2] = {(count + THREADS - 1) / THREADS, 1}, block[2] = {THREADS, 1};
    launch(d, what, kernel, grid, block, arguments);
}

static void infer_on_gpu(struct device *d)
{
    const unsigned size1[] = {BATCH, HIDDEN, INPUTS}, size2[] = {BATCH, CLASSES, HIDDEN};
    launch_gemm(d, "layer 1: 784 -> 128, ReLU", (struct place){AT(d, image), INPUTS, 1},
                (struct place){AT(d, weight1), HIDDEN, 1}, AT(d, bias1), AT(d, hidden), size1, 1);
    launch_gemm(d, "layer 2: 128 -> 10", (struct place){AT(d, hidden), HIDDEN, 1},
                (struct place){AT(d, weight2), CLASSES, 1}, AT(d, bias2), AT(d, score), size2, 0);
}

static void launch_sums(struct device *d, const char *what, uint64_t from, uint64_t to, unsigned columns)
{
    const unsigned rows = BATCH;
    const void *const arguments[] = {&from, &to, &rows, &columns};
    launch_flat(d, what, "column_sums", columns, arguments);
}

static void launch_step(struct device *d, const char *what, uint64_t weight, uint64_t gradient, unsigned count)
{
    const void *const arguments[] = {&weight, &gradient, &rate, &count};
    launch_flat(d, what, "step", count, arguments);
}

static void gradients_on_gpu(struct device *d)
{
    const unsigned rows = BATCH, classes = CLASSES, hidden = BATCH * HIDDEN;
    const unsigned size2[] = {HIDDEN, CLASSES, BATCH}, back[] = {BATCH, HIDDEN, CLASSES};
    const unsigned size1[] = {INPUTS, HIDDEN, BATCH};
    const uint64_t score = AT(d, score), label = AT(d, label), delta2 = AT(d, score_gradient);
    const uint64_t output = AT(d, hidden), delta1 = AT(d, hidden_gradient);
    const void *const of_softmax[] = {&score, &label, &delta2, &rows, &classes};
    const void *const of_relu[] = {&output, &delta1, &hidden};
    launch_flat(d, "gradient of softmax", "softmax_gradient", BATCH, of_softmax);
    launch_gemm(d, "gradient of weights 2", (struct place){output, 1, HIDDEN}, (struct place){delta2, CLASSES, 1}, 0,
                AT(d, weight2_gradient), size2, 0);
    launch_sums(d, "gradient of biases 2", delta2, AT(d, bias2_gradient), CLASSES);
    launch_gemm(d, "gradient of layer 1", (struct place){delta2, CLASSES, 1},
                (struct place){AT(d, weight2), 1, CLASSES}, 0, delta1, back, 0);
    launch_flat(d, "gradient of ReLU", "relu_gradient", hidden, of_relu);
    launch_gemm(d, "gradient of weights 1", (struct place){AT(d, image), 1, INPUTS}, (struct place){delta1, HIDDEN, 1},
                0, AT(d, weight1_gradient), size1, 0);
    launch_sums(d, "gradient of biases 1", delta1, AT(d, bias1_gradient), HIDDEN);
}

static void train_on_gpu(struct device *d)
{
    infer_on_gpu(d);
    gradients_on_gpu(d);
    launch_step(d, "step of weights 1", AT(d, weight1), AT(d, weight1_gradient), INPUTS * HIDDEN);
    launch_step(d, "step of biases 1", AT(d, bias1), AT(d, bias1_gradient), HIDDEN);
    launch_step(d, "step of weights 2", AT(d, weight2), AT(d, weight2_gradient), HIDDEN * CLASSES);
    launch_step(d, "step of biases 2", AT(d, bias2), AT(d, bias2_gradient), CLASSES);
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

struct settings {
    struct subcore_options options;
    const char *folder, *images, *labels;
    unsigned steps;
    bool functional;
};

static struct settings parse(int argc, char **argv)
{
    struct settings s = {.folder = "examples/api/cubin", .steps = 1};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--functional") == 0)
            s.functional = true;
        else if (strcmp(argv[i], "--gpu") == 0 && value)
            s.options.gpu = argv[++i];
        else if (strcmp(argv[i], "--steps") == 0 && value)
            s.steps = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--images") == 0 && value)
            s.images = argv[++i];
        else if (strcmp(argv[i], "--labels") == 0 && value)
            s.labels = argv[++i];
        else if (strcmp(argv[i], "--threads") == 0 && value)
            s.options.threads = (unsigned)strtoul(argv[++i], NULL, 10);
        else
            s.folder = argv[i];
    }
    return s;
}

/* The cubin for the GPU: compiled for its architecture or for an earlier one of the same generation. */
static void load(struct device *d, const char *folder)
{
    static const unsigned compiled[] = {120, 100, 90, 86, 80, 75, 70, 60};
    struct subcore_error error = {0};
    struct subcore_facts facts;
    char path[4096];
    subcore_gpu_facts(d->gpu, &facts);
    for (size_t i = 0; i < sizeof compiled / sizeof compiled[0] && !d->module; i++) {
        if (compiled[i] > facts.architecture || compiled[i] / 10 != facts.architecture / 10)
            continue;
        snprintf(path, sizeof path, "%s/mlp.sm_%u.cubin", folder, compiled[i]);
        d->module = subcore_load_file(d->gpu, path, &error);
    }
    must(d->module != NULL, &error);
    printf("%s: %u SMs at %.0f MHz, batch of %d\n\n", facts.name, facts.sms, facts.clock_mhz, BATCH);
}

static double difference(const float *a, const float *b, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
    return most;
}

static bool check_inference(struct device *d, struct network *cpu, struct network *gpu)
{
    struct subcore_error error = {0};
    infer_on_cpu(cpu);
    infer_on_gpu(d);
    must(subcore_read(d->gpu, gpu, d->network, sizeof *gpu, &error), &error);
    bool same = memcmp(cpu->score, gpu->score, sizeof cpu->score) == 0;
    printf("\nInference: %s, %u of %d right without training\n\n",
           same ? "all scores equal the CPU's, bit for bit" : "scores differ from the CPU's", right_answers(gpu),
           BATCH);
    return same;
}

static bool check_training(struct device *d, const struct images *images, unsigned steps, struct network *cpu,
                           struct network *gpu)
{
    struct subcore_error error = {0};
    for (unsigned i = 0; i < steps; i++) {
        if (images->count) {
            take_batch(cpu, images, i);
            must(subcore_write(d->gpu, AT(d, image), cpu->image, sizeof cpu->image, &error) &&
                     subcore_write(d->gpu, AT(d, label), cpu->label, sizeof cpu->label, &error),
                 &error);
        }
        train_on_cpu(cpu);
        train_on_gpu(d);
        d->quiet = true;
    }
    infer_on_cpu(cpu);
    infer_on_gpu(d);
    must(subcore_read(d->gpu, gpu, d->network, sizeof *gpu, &error), &error);
    double weights = difference(cpu->weight1, gpu->weight1, INPUTS * HIDDEN);
    double scores = difference(cpu->score, gpu->score, BATCH * CLASSES);
    printf("\nTraining: %u step%s, weights within %.1e of the CPU's, scores within %.1e, %u of %d right\n", steps,
           steps == 1 ? "" : "s", weights, scores, right_answers(gpu), BATCH);
    return weights < 1e-5 && scores < 1e-3 && right_answers(gpu) == right_answers(cpu);
}

int main(int argc, char **argv)
{
    static struct network cpu, gpu;
    struct subcore_error error = {0};
    struct settings settings = parse(argc, argv);
    struct device d = {.functional = settings.functional};
    struct images images = read_images(settings.images, settings.labels);
    d.gpu = subcore_open(&settings.options, &error);
    must(d.gpu != NULL, &error);
    load(&d, settings.folder);
    prepare(&cpu);
    if (images.count)
        take_batch(&cpu, &images, 0);
    d.network = subcore_alloc(d.gpu, sizeof cpu, &error);
    must(d.network && subcore_write(d.gpu, d.network, &cpu, sizeof cpu, &error), &error);
    printf("%-28s %6s %12s%s\n", "kernel", "CTAs", "warp inst", d.functional ? "" : "     cycles       us    DRAM kB");
    bool ok = check_inference(&d, &cpu, &gpu) && check_training(&d, &images, settings.steps, &cpu, &gpu);
    printf("%llu launches, %llu warp instructions", (unsigned long long)d.launches, (unsigned long long)d.instructions);
    if (!d.functional)
        printf(", %llu cycles", (unsigned long long)d.cycles);
    putchar('\n');
    subcore_close(d.gpu);
    free(images.pixels);
    free(images.labels);
    return ok ? 0 : 1;
}
