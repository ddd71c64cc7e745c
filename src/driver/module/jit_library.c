/* nvJitLink, as its public header declares it. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/module/jit.h"
#include "driver/module/ptx.h"

/* of nvJitLinkResult. */
enum { LINK_SUCCESS = 0 };

/* nvJitLinkInputType */
enum { LINK_CUBIN = 1, LINK_TEXT = 2, LINK_FATBIN = 4, LINK_OBJECT = 5, LINK_LIBRARY = 6 };

enum { OPTIONS = 8, OPTION = 48 };

typedef void *link_handle;

struct nvjitlink {
    int (*create)(link_handle *handle, uint32_t count, const char **options);
    int (*destroy)(link_handle *handle);
    int (*add)(link_handle handle, int type, const void *data, size_t size, const char *name);
    int (*complete)(link_handle handle);
    int (*cubin_size)(link_handle handle, size_t *size);
    int (*cubin)(link_handle handle, void *cubin);
    int (*errors_size)(link_handle handle, size_t *size);
    int (*errors)(link_handle handle, char *log);
    int (*notes_size)(link_handle handle, size_t *size);
    int (*notes)(link_handle handle, char *log);
};

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void *find(void *library, const char *name)
{
    char versioned[64];
    snprintf(versioned, sizeof versioned, "__%s_13_0", name);
    void *symbol = dlsym(library, name);
    return symbol ? symbol : dlsym(library, versioned);
}

static bool bind(struct nvjitlink *l, void *library)
{
    const struct {
        const char *name;
        void *to;
    } wanted[] = {
        {"nvJitLinkCreate", &l->create},
        {"nvJitLinkDestroy", &l->destroy},
        {"nvJitLinkAddData", &l->add},
        {"nvJitLinkComplete", &l->complete},
        {"nvJitLinkGetLinkedCubinSize", &l->cubin_size},
        {"nvJitLinkGetLinkedCubin", &l->cubin},
        {"nvJitLinkGetErrorLogSize", &l->errors_size},
        {"nvJitLinkGetErrorLog", &l->errors},
        {"nvJitLinkGetInfoLogSize", &l->notes_size},
        {"nvJitLinkGetInfoLog", &l->notes},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *symbol = find(library, wanted[i].name);
        if (!symbol)
            return false;
        *(void **)wanted[i].to = symbol; /* POSIX: a pointer to data holds one to a function */
    }
    return true;
}

static void *open_in(const char *folder)
{
    static const char *const places[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
    for (size_t i = 0; folder && *folder && i < sizeof places / sizeof *places; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s/libnvJitLink.so.13", folder, places[i]);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    return NULL;
}

struct nvjitlink *nvjitlink_open(void)
{
    void *library = dlopen("libnvJitLink.so.13", RTLD_NOW | RTLD_LOCAL);
    const char *folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda"};
    for (size_t i = 0; !library && i < sizeof folders / sizeof *folders; i++)
        library = open_in(folders[i]);
    struct nvjitlink *l = library ? calloc(1, sizeof *l) : NULL;
    if (l && bind(l, library))
        return l;
    free(l);
    if (library)
        dlclose(library);
    return NULL;
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

static char *get_log(link_handle handle, int (*get_size)(link_handle, size_t *), int (*get)(link_handle, char *))
{
    size_t size = 0;
    if (get_size(handle, &size) != LINK_SUCCESS || size <= 1)
        return NULL;
    char *log = calloc(1, size + 1);
    if (log && get(handle, log) == LINK_SUCCESS && log[0] != '\0')
        return log;
    free(log);
    return NULL;
}

static int type_of(CUjitInputType type)
{
    switch (type) {
    case CU_JIT_INPUT_CUBIN: return LINK_CUBIN;
    case CU_JIT_INPUT_PTX: return LINK_TEXT;
    case CU_JIT_INPUT_FATBINARY: return LINK_FATBIN;
    case CU_JIT_INPUT_OBJECT: return LINK_OBJECT;
    default: return LINK_LIBRARY;
    }
}

static uint32_t make_options(const struct jit_request *request, char (*text)[OPTION], const char **options)
{
    const struct jit_options *o = &request->options;
    char architecture[16];
    uint32_t count = 0;
    ptx_architecture(request, architecture);
    snprintf(text[count++], OPTION, "-arch=%s", architecture);
    if (o->registers > 0)
        snprintf(text[count++], OPTION, "-maxrregcount=%d", o->registers);
    if (o->level >= 0)
        snprintf(text[count++], OPTION, "-O%d", o->level < 3 ? o->level : 3);
    if (o->debug)
        snprintf(text[count++], OPTION, "-g");
    if (o->lines)
        snprintf(text[count++], OPTION, "-lineinfo");
    if (o->verbose)
        snprintf(text[count++], OPTION, "-verbose");
    for (uint32_t i = 0; i < count; i++)
        options[i] = text[i];
    return count;
}

static int take_cubin(const struct nvjitlink *l, link_handle handle, struct jit_answer *answer)
{
    int error = l->cubin_size(handle, &answer->size);
    if (error != LINK_SUCCESS)
        return error;
    answer->cubin = malloc(answer->size ? answer->size : 1);
    return answer->cubin ? l->cubin(handle, answer->cubin) : LINK_SUCCESS;
}

static int link_all(const struct nvjitlink *l, link_handle handle, const struct jit_request *request,
                    struct jit_answer *answer)
{
    int error = LINK_SUCCESS;
    for (size_t i = 0; i < request->count && error == LINK_SUCCESS; i++) {
        const struct jit_input *in = &request->inputs[i];
        error = l->add(handle, type_of(in->type), in->data, in->size, in->name);
    }
    if (error == LINK_SUCCESS)
        error = l->complete(handle);
    return error == LINK_SUCCESS ? take_cubin(l, handle, answer) : error;
}

static CUresult result_of(int error, const struct jit_request *request, const struct jit_answer *answer)
{
    if (error == LINK_SUCCESS)
        return answer->cubin ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    bool ptx = false;
    for (size_t i = 0; i < request->count; i++)
        ptx |= request->inputs[i].type == CU_JIT_INPUT_PTX;
    return ptx ? ptx_blame(answer->errors) : CUDA_ERROR_INVALID_IMAGE;
}

CUresult nvjitlink_run(const struct nvjitlink *l, const struct jit_request *request, struct jit_answer *answer)
{
    char text[OPTIONS][OPTION];
    const char *options[OPTIONS];
    link_handle handle = NULL;
    int error = l->create(&handle, make_options(request, text, options), options);
    if (error == LINK_SUCCESS)
        error = link_all(l, handle, request, answer);
    if (handle) {
        answer->errors = get_log(handle, l->errors_size, l->errors);
        answer->notes = get_log(handle, l->notes_size, l->notes);
        l->destroy(&handle);
    }
    if (error != LINK_SUCCESS && !answer->errors) {
        char said[96];
        snprintf(said, sizeof said, "nvJitLink answers error %d for %s", error, text[0]);
        answer->errors = strdup(said);
    }
    CUresult result = result_of(error, request, answer);
    if (result != CUDA_SUCCESS) {
        free(answer->cubin);
        answer->cubin = NULL;
    }
    return result;
}
