#include "cubin/kernel_name.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cubin/cubin.h"

/* Itanium C++ ABI, cross-vendor API: the result is to be freed. */
typedef char *demangler(const char *mangled, char *buffer, size_t *length, int *status);

static void cut(const char *text, size_t length, char *out, size_t size)
{
    if (length < size)
        snprintf(out, size, "%.*s", (int)length, text);
    else
        snprintf(out, size, "%.*s...", (int)(size - 4), text);
}

/* Where the parameter list of a demangled function begins. Its end where there is none. */
static const char *parameters_of(const char *text)
{
    const char *close = strrchr(text, ')');
    unsigned depth = 0;
    for (const char *p = close; p && p >= text; p--) {
        depth += *p == ')';
        depth -= *p == '(';
        if (depth == 0)
            return p;
    }
    return text + strlen(text);
}

/* Whether `*p`, inside brackets or not, changes how deep they are nested. */
static void nest(const char *p, unsigned *depth)
{
    if (*p == '<' || *p == '(' || *p == '{')
        ++*depth;
    else if ((*p == '>' || *p == ')' || *p == '}') && *depth > 0)
        --*depth;
}

/* A function template's name has its return type before it. */
static const char *behind_type(const char *text, const char *end)
{
    const char *name = text;
    unsigned depth = 0;
    for (const char *p = text; p < end; p++) {
        nest(p, &depth);
        if (depth == 0 && *p == ' ')
            name = p + 1;
    }
    return name;
}

void kernel_name(const char *mangled, char *out, size_t size)
{
    demangler *demangle = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    memcpy(&demangle, &symbol, sizeof demangle);
    int failed = -1;
    char *text = demangle && strncmp(mangled, "_Z", 2) == 0 ? demangle(mangled, NULL, NULL, &failed) : NULL;
    const char *name = mangled;
    size_t length = strlen(mangled);
    if (text && failed == 0) {
        const char *end = parameters_of(text);
        name = behind_type(text, end);
        length = (size_t)(end - name);
    } else {
        cubin_kernel_core(mangled, &name, &length);
    }
    cut(name, length, out, size);
    text_make_printable(out, "");
    free(text);
}

size_t kernel_name_plain(const char *name)
{
    size_t length = strlen(name);
    const char *own = kernel_name_own(name);
    const char *arguments = strchr(own, '<');
    return arguments ? (size_t)(arguments - name) : length;
}

const char *kernel_name_own(const char *name)
{
    const char *own = name;
    unsigned depth = 0;
    for (const char *p = name; *p; p++) {
        nest(p, &depth);
        if (depth == 0 && p[0] == ':' && p[1] == ':')
            own = p + 2;
    }
    return own;
}

void kernel_name_short(const char *name, size_t width, char *out)
{
    const char *text = strlen(name) > width ? kernel_name_own(name) : name;
    cut(text, strlen(text), out, width + 1);
}
