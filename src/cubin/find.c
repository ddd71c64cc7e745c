#include "cubin/module.h"

#include <stdio.h>

#include "base/text.h"

/* Reads a <source-name> of the Itanium ABI: a length and that many characters. */
static bool source_name(const char **p, const char **name, size_t *length)
{
    size_t n = 0;
    const char *at = *p;
    for (; *at >= '0' && *at <= '9'; at++) {
        n = n * 10 + (size_t)(*at - '0');
        if (n > 1 << 20)
            return false;
    }
    if (n == 0 || strnlen(at, n) < n)
        return false;
    *name = at;
    *length = n;
    *p = at + n;
    return true;
}

/* A kernel lives in a namespace, never in a class template, so the first 'I' ends its name. */
bool cubin_kernel_core(const char *mangled, const char **name, size_t *length)
{
    if (strncmp(mangled, "_Z", 2) != 0)
        return false;
    const char *p = mangled + 2;
    bool nested = *p == 'N', found = false;
    p += nested;
    do {
        p += *p == 'L'; /* internal linkage */
        if (!source_name(&p, name, length))
            return found;
        found = true;
    } while (nested);
    return found;
}

static bool core_is(const char *mangled, const char *name)
{
    const char *core;
    size_t length;
    return cubin_kernel_core(mangled, &core, &length) && strlen(name) == length && memcmp(core, name, length) == 0;
}

static void list_kernels(const struct cubin *c, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < c->kernel_count && used < room; i++) {
        int n = snprintf(text + used, room - used, "%s%.80s", i > 0 ? ", " : "", c->kernels[i].name);
        if (n < 0 || (size_t)n >= room - used - 16 || room - used < 32) {
            snprintf(text + used, room - used, ", and more");
            return;
        }
        used += (size_t)n;
    }
}

const struct cubin_kernel *cubin_find_kernel(const struct cubin *cubin, const char *name, struct status *status)
{
    const struct cubin_kernel *match = NULL;
    size_t matches = 0;
    for (size_t i = 0; i < cubin->kernel_count; i++)
        if (strcmp(cubin->kernels[i].name, name) == 0)
            return &cubin->kernels[i];
    for (size_t i = 0; i < cubin->kernel_count; i++) {
        if (core_is(cubin->kernels[i].name, name)) {
            match = &cubin->kernels[i];
            matches++;
        }
    }
    if (matches == 1)
        return match;
    char list[320];
    list_kernels(cubin, list, sizeof list);
    text_make_printable(list, "");
    if (cubin->kernel_count == 0)
        status_fail(status, STATUS_USAGE, "%s: no kernel in the file", cubin->path);
    else
        status_fail(status, STATUS_USAGE, "%s: %s kernel \"%.60s\"; the file has %s", cubin->path,
                    matches == 0 ? "no" : "more than one", name, list);
    return NULL;
}
