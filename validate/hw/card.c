#include "card.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"

enum { USUAL_DYNAMIC_SHARED = 48 << 10 };

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* Whether `result` is success; else it is noted. A fault of a kernel stays with the context: every later call fails. */
static bool good(struct card *card, int result, const char *what)
{
    if (result == 0)
        return true;
    card->code = result;
    snprintf(card->error, sizeof card->error, "%.100s: error %d, %.180s", what, result,
             driver_text(&card->driver, result));
    card->broken = card->driver.synchronize() != 0;
    return false;
}

/* ---- the GPU ----------------------------------------------------------------------------------------------------- */

int card_attribute(struct card *card, enum driver_attribute which)
{
    int value = 0;
    good(card, card->driver.device_attribute(&value, (int)which, card->device), "attribute of the GPU");
    return value;
}

unsigned card_architecture(const struct card *card) { return (unsigned)(10 * card->major + card->minor); }

static bool take_context(struct card *card)
{
    const struct driver *d = &card->driver;
    return good(card, d->context_retain(&card->context, card->device), "context") &&
           good(card, d->context_current(card->context), "context") &&
           good(card, d->event_create(&card->from, 0), "event") && good(card, d->event_create(&card->to, 0), "event");
}

bool card_open(struct card *card, int ordinal, const char *folder)
{
    *card = (struct card){0};
    const struct driver *d = &card->driver;
    int count = 0;
    if (!driver_open(&card->driver, card->error, sizeof card->error))
        return false;
    int result = d->init(0);
    if (result != 0) {
        snprintf(card->error, sizeof card->error, "the driver does not start: error %d, %s; does nvidia-smi work?",
                 result, driver_text(d, result));
        return false;
    }
    d->device_count(&count);
    if (ordinal >= count) {
        snprintf(card->error, sizeof card->error, "there is no GPU %d; the driver has %d", ordinal, count);
        return false;
    }
    d->driver_version(&card->version);
    if (!good(card, d->device_get(&card->device, ordinal), "GPU") ||
        !good(card, d->device_name(card->product, sizeof card->product, card->device), "GPU") ||
        !good(card, d->device_memory(&card->memory, card->device), "GPU") || !take_context(card))
        return false;
    card->major = card_attribute(card, ATTRIBUTE_MAJOR);
    card->minor = card_attribute(card, ATTRIBUTE_MINOR);
    card->clock = card_attribute(card, ATTRIBUTE_CLOCK) / 1e3;
    place_name(card->product, card->name, sizeof card->name);
    if (!place_folder(folder, card->folder, sizeof card->folder)) {
        snprintf(card->error, sizeof card->error,
                 "no folder with micro/cubin and kernels/cubin here or beside the program: name it by --folder "
                 "PATH/validate");
        return false;
    }
    return true;
}

static void forget(struct card *card)
{
    card->modules = 0;
    card->blocks = 0;
}

void card_close(struct card *card)
{
    if (!card->context)
        return;
    card_release_all(card);
    card->driver.context_release(card->device);
    card->context = NULL;
}

bool card_renew(struct card *card)
{
    forget(card);
    card->driver.context_reset(card->device);
    card->driver.context_release(card->device);
    card->broken = !take_context(card);
    return !card->broken;
}

/* ---- code -------------------------------------------------------------------------------------------------------- */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *data = NULL;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    if (size > 0)
        data = malloc((size_t)size);
    if (data && fread(data, 1, (size_t)size, file) != (size_t)size) {
        free(data);
        data = NULL;
    }
    fclose(file);
    return data;
}

void *card_load(struct card *card, const char *path)
{
    void *module = NULL;
    char *image = read_file(path);
    if (!image) {
        snprintf(card->error, sizeof card->error, "%.280s: cannot be read", path);
        return NULL;
    }
    if (!good(card, card->driver.module_load(&module, image), path))
        module = NULL;
    free(image);
    return module;
}

/* Machine code runs on GPUs of the same major version that are not older. */
static bool newest(const struct card *card, const char *folder, const char *name, char *path, size_t size)
{
    for (int minor = card->minor; minor >= 0; minor--) {
        snprintf(path, size, "%s/%s/cubin/%s.sm_%d%d.cubin", card->folder, folder, name, card->major, minor);
        FILE *file = fopen(path, "rb");
        if (file) {
            fclose(file);
            return true;
        }
    }
    return false;
}

void *card_module(struct card *card, const char *folder, const char *name)
{
    char path[CARD_PATH + 128];
    for (unsigned i = 0; i < card->modules; i++)
        if (strcmp(card->module[i].name, name) == 0)
            return card->module[i].handle;
    if (!newest(card, folder, name, path, sizeof path)) {
        snprintf(card->error, sizeof card->error,
                 "%.120s/%s/cubin has no %s for compute capability %d.%d: build.sh beside it makes one with nvcc",
                 card->folder, folder, name, card->major, card->minor);
        return NULL;
    }
    void *handle = card->modules < CARD_MODULES ? card_load(card, path) : NULL;
    if (!handle)
        return NULL;
    struct card_module *module = &card->module[card->modules++];
    snprintf(module->name, sizeof module->name, "%s", name);
    return module->handle = handle;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

uint64_t card_alloc(struct card *card, size_t bytes)
{
    uint64_t address = 0;
    if (card->blocks == CARD_BLOCKS) {
        snprintf(card->error, sizeof card->error, "more than %d blocks of device memory", CARD_BLOCKS);
        return 0;
    }
    if (!good(card, card->driver.memory_alloc(&address, bytes ? bytes : 1), "device memory"))
        return 0;
    card->block[card->blocks++] = (struct card_block){address, bytes};
    if (bytes && !good(card, card->driver.memory_set(address, 0, bytes), "device memory")) {
        card_release(card, address);
        return 0;
    }
    return address;
}

void card_release(struct card *card, uint64_t address)
{
    for (unsigned i = card->blocks; i-- > 0;) {
        if (card->block[i].address == address) {
            if (!card->broken) /* else it went with the context */
                good(card, card->driver.memory_free(address), "release of device memory");
            card->block[i] = card->block[--card->blocks];
            return;
        }
    }
}

void card_release_all(struct card *card)
{
    while (card->blocks > 0)
        card_release(card, card->block[card->blocks - 1].address);
}

bool card_write(struct card *card, uint64_t to, const void *from, size_t bytes)
{
    return bytes == 0 || good(card, card->driver.copy_in(to, from, bytes), "copy to the GPU");
}

bool card_read(struct card *card, void *to, uint64_t from, size_t bytes)
{
    return bytes == 0 || good(card, card->driver.copy_out(to, from, bytes), "copy from the GPU");
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Returns the bytes of parameters that the kernel has: a driver refuses a buffer that is longer (701), and structures
 * end in padding. A driver that cannot tell gets the number of the workload. */
static size_t parameter_bytes(const struct driver *d, const struct card_launch *l, void *function)
{
    size_t end = 0, offset, bytes;
    for (size_t i = 0; d->parameter_info && d->parameter_info(function, i, &offset, &bytes) == 0; i++)
        end = offset + bytes;
    return end > 0 && end < l->parameter_bytes ? end : l->parameter_bytes;
}

static bool start(struct card *card, const struct card_launch *l, void *function)
{
    /* CU_LAUNCH_PARAM_BUFFER_POINTER, _BUFFER_SIZE, _END */
    size_t bytes = parameter_bytes(&card->driver, l, function);
    void *extra[] = {(void *)1, (void *)l->parameters, (void *)2, &bytes, NULL};
    const struct driver *d = &card->driver;
    const struct example_dim *g = &l->grid, *b = &l->block;
    int result = 0;
    for (unsigned i = 0; i <= l->more && result == 0; i++)
        result =
            d->launch(function, g->x, g->y, g->z, b->x, b->y, b->z, l->shared_bytes, NULL, NULL, bytes ? extra : NULL);
    return good(card, result, l->kernel);
}

static bool prepare(struct card *card, const struct card_launch *l, void **function)
{
    const struct driver *d = &card->driver;
    if (!good(card, d->module_function(function, l->module, l->kernel), l->kernel))
        return false;
    if (l->shared_bytes > USUAL_DYNAMIC_SHARED &&
        !good(card, d->function_set(*function, FUNCTION_DYNAMIC_SHARED, (int)l->shared_bytes), l->kernel))
        return false;
    return !l->most_l1 || good(card, d->function_set(*function, FUNCTION_CARVEOUT, CARVEOUT_MOST_L1), l->kernel);
}

bool card_launch(struct card *card, const struct card_launch *l)
{
    const struct driver *d = &card->driver;
    void *function;
    float milliseconds = 0;
    if (!prepare(card, l, &function) || (l->timed && !good(card, d->event_record(card->from, NULL), "event")) ||
        !start(card, l, function) || (l->timed && !good(card, d->event_record(card->to, NULL), "event")) ||
        !good(card, d->synchronize(), l->kernel))
        return false;
    if (l->timed && !good(card, d->event_time(&milliseconds, card->from, card->to), "event"))
        return false;
    card->launch_ns = 1e6 * (double)milliseconds;
    return true;
}

/* ---- measurements ------------------------------------------------------------------------------------------------ */

static uint64_t measure_alloc(void *self, uint64_t bytes) { return card_alloc(self, bytes); }
static void measure_release(void *self, uint64_t address) { card_release(self, address); }

static bool measure_write(void *self, uint64_t to, const void *from, uint64_t bytes)
{
    return card_write(self, to, from, bytes);
}

static bool measure_read(void *self, void *to, uint64_t from, uint64_t bytes)
{
    return card_read(self, to, from, bytes);
}

static bool measure_launch(void *self, const char *kernel, unsigned ctas, unsigned threads, unsigned shared_bytes,
                           const void *parameters, size_t parameter_bytes)
{
    const struct card_launch launch = {
        .module = card_module(self, "micro", "measure"),
        .kernel = kernel,
        .grid = {ctas, 1, 1},
        .block = {threads, 1, 1},
        .shared_bytes = shared_bytes,
        .parameters = parameters,
        .parameter_bytes = parameter_bytes,
        .most_l1 = true,
        .timed = true,
    };
    return launch.module && card_launch(self, &launch);
}

static bool measure_repeat(void *self, const char *kernel, unsigned ctas, unsigned threads, unsigned launches,
                           double *ns)
{
    struct card *card = self;
    const struct card_launch launch = {
        .module = card_module(self, "micro", "measure"),
        .kernel = kernel,
        .grid = {ctas, 1, 1},
        .block = {threads, 1, 1},
        .timed = true,
        .more = launches - 1,
    };
    bool ok = launch.module && card_launch(card, &launch);
    *ns = card->launch_ns;
    return ok;
}

/* Bytes of L1 and shared memory together, which no attribute tells: CUDA C++ Programming Guide, compute
 * capabilities. */
static uint64_t unified_bytes(const struct card *card)
{
    static const struct {
        unsigned architecture, kib;
    } known[] = {{75, 96}, {80, 192}, {86, 128}, {89, 128}, {90, 256}, {100, 256}, {103, 256}, {120, 128}};
    unsigned kib = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].architecture <= card_architecture(card))
            kib = known[i].kib;
    return (uint64_t)kib << 10;
}

bool card_measure_device(struct card *card, struct measure_device *device)
{
    *device = (struct measure_device){
        .self = card,
        .alloc = measure_alloc,
        .release = measure_release,
        .write = measure_write,
        .read = measure_read,
        .launch = measure_launch,
        .repeat = measure_repeat,
    };
    struct measure_gpu *gpu = &device->gpu;
    snprintf(gpu->name, sizeof gpu->name, "%s", card->name);
    gpu->architecture = card_architecture(card);
    gpu->sms = (unsigned)card_attribute(card, ATTRIBUTE_SMS);
    gpu->clock = card->clock;
    gpu->dram = 2e-6 * card_attribute(card, ATTRIBUTE_MEMORY_CLOCK) * card_attribute(card, ATTRIBUTE_BUS) / 8;
    gpu->memory = card->memory;
    gpu->l2 = (uint64_t)card_attribute(card, ATTRIBUTE_L2);
    gpu->l1 = unified_bytes(card);
    gpu->warps = (unsigned)card_attribute(card, ATTRIBUTE_THREADS) / 32;
    return card_module(card, "micro", "measure") != NULL;
}
