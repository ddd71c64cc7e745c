#include "dnn/descriptor.h"

#include <stdlib.h>
#include <string.h>

/* Types without a line are enumerations. */
size_t backend_size(int type)
{
    switch (type) {
    case BACKEND_OF_HANDLE:
    case BACKEND_OF_INT64:
    case BACKEND_OF_DOUBLE:
    case BACKEND_OF_POINTER:
    case BACKEND_OF_DESCRIPTOR: return 8;
    case BACKEND_OF_BOOLEAN:
    case BACKEND_OF_CHAR: return 1;
    case BACKEND_OF_FRACTION: return 16;
    default: return type >= 0 && type < BACKEND_TYPES ? 4 : 0;
    }
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

const struct backend_attribute *backend_find(const struct backend *b, int name)
{
    for (int i = 0; b != NULL && i < b->count; i++)
        if (b->attributes[i].name == name)
            return &b->attributes[i];
    return NULL;
}

struct backend *backend_child(const struct backend *b, int name)
{
    const struct backend_attribute *a = backend_find(b, name);
    return a != NULL && a->type == BACKEND_OF_DESCRIPTOR && a->count > 0 ? *(struct backend **)a->values : NULL;
}

static void empty(struct backend_attribute *a)
{
    if (a->type == BACKEND_OF_DESCRIPTOR)
        for (int64_t i = 0; i < a->count; i++)
            backend_release(((struct backend **)a->values)[i]);
    free(a->values);
    a->values = NULL;
    a->count = 0;
}

void backend_release(struct backend *b)
{
    if (--b->references > 0)
        return;
    for (int i = 0; i < b->count; i++)
        empty(&b->attributes[i]);
    free(b->attributes);
    b->magic = 0;
    free(b);
}

/* Returns the attribute's place, a new one if it is not set; null without memory. */
static struct backend_attribute *place(struct backend *b, int name)
{
    for (int i = 0; i < b->count; i++)
        if (b->attributes[i].name == name)
            return &b->attributes[i];
    struct backend_attribute *more = realloc(b->attributes, (size_t)(b->count + 1) * sizeof *more);
    if (more == NULL)
        return NULL;
    b->attributes = more;
    more[b->count] = (struct backend_attribute){.name = name};
    return &more[b->count++];
}

cudnnStatus_t backend_set(struct backend *b, int name, int type, int64_t count, const void *values)
{
    size_t bytes = (size_t)count * backend_size(type);
    if (type == BACKEND_OF_DESCRIPTOR)
        for (int64_t i = 0; i < count; i++)
            if (!backend_lives(((struct backend *const *)values)[i]))
                return CUDNN_STATUS_BAD_PARAM;
    void *copy = malloc(bytes > 0 ? bytes : 1);
    struct backend_attribute *a = copy != NULL ? place(b, name) : NULL;
    if (a == NULL) {
        free(copy);
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    }
    if (bytes > 0)
        memcpy(copy, values, bytes);
    if (type == BACKEND_OF_DESCRIPTOR)
        for (int64_t i = 0; i < count; i++)
            ((struct backend **)copy)[i]->references++;
    empty(a);
    *a = (struct backend_attribute){name, type, count, copy};
    return CUDNN_STATUS_SUCCESS;
}
