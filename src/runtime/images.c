#include "runtime/images.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "driver/abi/api_module.h"
#include "runtime/runtime.h"

struct managed {
    void **shadow; /* where host code keeps the variable's address */
    const char *name;
    size_t size;
};

struct image {
    void *wrapper;
    CUlibrary library; /* NULL until loaded */
    unsigned resets;   /* for which the managed variables below are set */
    struct managed *managed;
    size_t managed_count;
    struct image *next;
};

struct symbol {
    const void *host; /* NULL: a free place */
    struct image *image;
    const char *name;
    size_t size; /* of a variable. Of a texture reference the offset of its memory */
    enum image_symbol kind;
    bool fractions;
    CUkernel kernel; /* NULL until asked for */
};

/* A hash table with open addressing; `capacity` is a power of two, at most half full. */
struct images {
    pthread_mutex_t lock;
    struct image *first;
    struct symbol *symbols;
    size_t capacity;
    size_t count;
    atomic_int missing_kernel; /* a cudaError_t */
    atomic_uint resets;
    atomic_bool watching;
    atomic_bool leaving;
};

static struct images images = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct symbol *place(struct symbol *symbols, size_t capacity, const void *host)
{
    size_t at = (size_t)(((uint64_t)(uintptr_t)host * 0x9e3779b97f4a7c15u) >> 32) & (capacity - 1);
    while (symbols[at].host != NULL && symbols[at].host != host)
        at = (at + 1) & (capacity - 1);
    return &symbols[at];
}

static struct symbol *find(const void *host)
{
    if (images.capacity == 0 || host == NULL)
        return NULL;
    struct symbol *symbol = place(images.symbols, images.capacity, host);
    return symbol->host != NULL ? symbol : NULL;
}

/* Moves the entries that do not belong to `without` into a new table. Returns false if there is no memory. */
static bool rebuild(size_t capacity, const struct image *without)
{
    struct symbol *symbols = calloc(capacity, sizeof *symbols);
    if (symbols == NULL)
        return false;
    size_t count = 0;
    for (size_t i = 0; i < images.capacity; i++) {
        const struct symbol *old = &images.symbols[i];
        if (old->host == NULL || old->image == without)
            continue;
        *place(symbols, capacity, old->host) = *old;
        count++;
    }
    free(images.symbols);
    images.symbols = symbols;
    images.capacity = capacity;
    images.count = count;
    return true;
}

static void add_symbol(struct symbol symbol)
{
    if (symbol.host == NULL || symbol.image == NULL || symbol.name == NULL)
        return;
    pthread_mutex_lock(&images.lock);
    bool room =
        2 * (images.count + 1) <= images.capacity || rebuild(images.capacity == 0 ? 64 : 2 * images.capacity, NULL);
    if (room) {
        struct symbol *at = place(images.symbols, images.capacity, symbol.host);
        images.count += at->host == NULL;
        *at = symbol;
    }
    pthread_mutex_unlock(&images.lock);
}

struct image *image_add(void *wrapper)
{
    struct image *image = calloc(1, sizeof *image);
    if (image == NULL)
        return NULL;
    image->wrapper = wrapper;
    pthread_mutex_lock(&images.lock);
    image->next = images.first;
    images.first = image;
    pthread_mutex_unlock(&images.lock);
    return image;
}

static void leave(void) { atomic_store(&images.leaving, true); }

/* Compiled code has its images removed by functions that it gave to atexit before. The last given is called first. */
void images_watch_exit(void)
{
    if (!atomic_exchange(&images.watching, true))
        atexit(leave);
}

void image_remove(struct image *image)
{
    if (atomic_load(&images.leaving))
        return;
    pthread_mutex_lock(&images.lock);
    struct image **at = &images.first;
    while (*at != NULL && *at != image)
        at = &(*at)->next;
    bool known = *at != NULL;
    if (known) {
        *at = image->next;
        if (images.capacity > 0)
            rebuild(images.capacity, image);
    }
    pthread_mutex_unlock(&images.lock);
    if (!known)
        return;
    if (image->library != NULL)
        cuLibraryUnload(image->library);
    free(image->managed);
    free(image);
}

void image_add_function(struct image *image, const void *host, const char *name)
{
    add_symbol((struct symbol){.host = host, .image = image, .name = name, .kind = IMAGE_FUNCTION});
}

void image_add_variable(struct image *image, const void *host, const char *name, size_t size)
{
    add_symbol((struct symbol){.host = host, .image = image, .name = name, .size = size});
}

void image_add_reference(struct image *image, const void *host, const char *name, enum image_symbol kind,
                         bool fractions)
{
    add_symbol((struct symbol){.host = host, .image = image, .name = name, .kind = kind, .fractions = fractions});
}

void image_add_managed(struct image *image, void **shadow, const char *name, size_t size)
{
    if (image == NULL || shadow == NULL || name == NULL)
        return;
    image_add_variable(image, shadow, name, size);
    pthread_mutex_lock(&images.lock);
    struct managed *more = realloc(image->managed, (image->managed_count + 1) * sizeof *more);
    if (more != NULL) {
        image->managed = more;
        more[image->managed_count++] = (struct managed){.shadow = shadow, .name = name, .size = size};
    }
    pthread_mutex_unlock(&images.lock);
}

static cudaError_t set_managed(struct image *image)
{
    unsigned resets = atomic_load(&images.resets);
    for (size_t i = 0; i < image->managed_count; i++) {
        CUdeviceptr address = 0;
        size_t size = 0;
        CUresult result = cuLibraryGetManaged(&address, &size, image->library, image->managed[i].name);
        if (result != CUDA_SUCCESS)
            return result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : (cudaError_t)result;
        *image->managed[i].shadow = (void *)(uintptr_t)address;
    }
    image->resets = resets;
    return cudaSuccess;
}

static cudaError_t load_locked(struct image *image)
{
    if (image->library != NULL && image->resets == atomic_load(&images.resets))
        return cudaSuccess;
    if (image->library == NULL) {
        CUresult result = cuLibraryLoadData(&image->library, image->wrapper, NULL, NULL, 0, NULL, NULL, 0);
        if (result != CUDA_SUCCESS) {
            image->library = NULL;
            return (cudaError_t)result;
        }
    }
    return set_managed(image);
}

cudaError_t image_load(struct image *image)
{
    pthread_mutex_lock(&images.lock);
    cudaError_t error = load_locked(image);
    pthread_mutex_unlock(&images.lock);
    return error;
}

static cudaError_t kernel_of(struct symbol *symbol, CUkernel *kernel)
{
    cudaError_t error = load_locked(symbol->image);
    if (error == cudaSuccess && symbol->kernel == NULL) {
        CUresult result = cuLibraryGetKernel(&symbol->kernel, symbol->image->library, symbol->name);
        error = result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidDeviceFunction : (cudaError_t)result;
        if (error != cudaSuccess)
            symbol->kernel = NULL;
    }
    *kernel = symbol->kernel;
    return error;
}

cudaError_t images_kernel(const void *host, CUkernel *kernel)
{
    pthread_mutex_lock(&images.lock);
    struct symbol *symbol = find(host);
    bool known = symbol != NULL && symbol->kind == IMAGE_FUNCTION;
    cudaError_t error = known ? kernel_of(symbol, kernel) : cudaErrorInvalidDeviceFunction;
    pthread_mutex_unlock(&images.lock);
    CUfunction function;
    if (!known && host != NULL && cuKernelGetFunction(&function, (CUkernel)(uintptr_t)host) == CUDA_SUCCESS) {
        *kernel = (CUkernel)(uintptr_t)host;
        return cudaSuccess;
    }
    if (error != cudaSuccess)
        atomic_store(&images.missing_kernel, (int)error);
    return error;
}

cudaError_t images_missing_kernel(void)
{
    cudaError_t error = (cudaError_t)atomic_load(&images.missing_kernel);
    return error == cudaSuccess ? cudaErrorInvalidResourceHandle : error;
}

/* Host code takes the address of a managed variable through its shadow, so `host` may be the variable itself. */
static struct symbol *find_managed(const void *host)
{
    for (struct image *image = images.first; image != NULL && host != NULL; image = image->next)
        for (size_t i = 0; i < image->managed_count; i++)
            if (*image->managed[i].shadow == host)
                return find(image->managed[i].shadow);
    return NULL;
}

cudaError_t images_variable(const void *host, CUdeviceptr *address, size_t *size)
{
    pthread_mutex_lock(&images.lock);
    struct symbol *symbol = find(host);
    if (symbol == NULL)
        symbol = find_managed(host);
    cudaError_t error =
        symbol != NULL && symbol->kind == IMAGE_VARIABLE ? load_locked(symbol->image) : cudaErrorInvalidSymbol;
    if (error == cudaSuccess) {
        CUresult result = cuLibraryGetGlobal(address, size, symbol->image->library, symbol->name);
        error = result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : (cudaError_t)result;
    }
    pthread_mutex_unlock(&images.lock);
    return error;
}

cudaError_t images_reference(const void *host, enum image_symbol kind, struct image_reference *reference)
{
    pthread_mutex_lock(&images.lock);
    const struct symbol *symbol = find(host);
    cudaError_t error = kind == IMAGE_TEXTURE ? cudaErrorInvalidTexture : cudaErrorInvalidSurface;
    if (symbol != NULL && symbol->kind == kind)
        error = load_locked(symbol->image);
    else
        symbol = NULL;
    if (error == cudaSuccess && symbol != NULL) {
        *reference = (struct image_reference){NULL, symbol->name, symbol->fractions, symbol->size};
        error = (cudaError_t)cuLibraryGetModule(&reference->module, symbol->image->library);
    }
    pthread_mutex_unlock(&images.lock);
    return error;
}

void images_note_offset(const void *host, size_t offset)
{
    pthread_mutex_lock(&images.lock);
    struct symbol *symbol = find(host);
    if (symbol != NULL && symbol->kind == IMAGE_TEXTURE)
        symbol->size = offset;
    pthread_mutex_unlock(&images.lock);
}

const void *images_host(CUfunction function)
{
    const void *host = NULL;
    pthread_mutex_lock(&images.lock);
    for (size_t i = 0; i < images.capacity && host == NULL; i++) {
        const struct symbol *symbol = &images.symbols[i];
        CUfunction own = NULL;
        if (symbol->host != NULL && symbol->kernel != NULL &&
            cuKernelGetFunction(&own, symbol->kernel) == CUDA_SUCCESS &&
            (own == function || (const void *)symbol->kernel == (const void *)function))
            host = symbol->host;
    }
    pthread_mutex_unlock(&images.lock);
    return host;
}

unsigned images_resets(void) { return atomic_load(&images.resets); }

void images_count_reset(void) { atomic_fetch_add(&images.resets, 1); }
