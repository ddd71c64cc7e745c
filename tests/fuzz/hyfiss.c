/* Any bytes as a HyFiSS trace's four files, with zero bytes between them: app.config, instn.config, executions,
 * memory. The text that they become is read as a kernel's file. */
#include <string.h>

#include "accelsim/hyfiss.h"
#include "tests/fuzz/accelsim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PARTS = 4 };

struct parts {
    char *text[PARTS];
    size_t size[PARTS];
};

static struct hyfiss_text part(const struct parts *p, unsigned i)
{
    return (struct hyfiss_text){"fuzz", p->text[i], p->text[i] + p->size[i]};
}

static bool load(void *self, uint64_t cta, struct hyfiss_text *executed, struct hyfiss_text *memory,
                 struct status *status)
{
    if (cta > 8)
        return status_fail(status, STATUS_FORMAT, "no such CTA");
    *executed = part(self, 2);
    *memory = part(self, 3);
    return true;
}

/* Each part has its own memory, so that a reader beyond its end is found. */
static bool divide(struct parts *p, const uint8_t *data, size_t size)
{
    for (unsigned i = 0; i < PARTS; i++) {
        const uint8_t *end = i + 1 < PARTS && size ? memchr(data, 0, size) : NULL;
        size_t n = end ? (size_t)(end - data) : size;
        p->text[i] = malloc(n + 1);
        if (!p->text[i])
            return false;
        if (n)
            memcpy(p->text[i], data, n);
        p->text[i][n] = '\n';
        p->size[i] = n + 1;
        data += end ? n + 1 : n;
        size -= end ? n + 1 : n;
    }
    return true;
}

static void rewrite(struct parts *p, bool by_cta)
{
    char *text = NULL, path[64];
    size_t size = 0;
    struct status status = {0};
    FILE *out = open_memstream(&text, &size);
    const struct hyfiss_source source = {.app = part(p, 0),
                                         .instructions = part(p, 1),
                                         .kernel = 1,
                                         .architecture = 80,
                                         .by_cta = by_cta,
                                         .self = p,
                                         .load = load};
    if (!out)
        return;
    if (hyfiss_write(&source, out, &status) != (status.code == STATUS_OK))
        abort();
    fclose(out);
    int file = memory_file((const uint8_t *)text, size, path);
    if (file >= 0) {
        convert_and_forget(path, &ACCELSIM_DEFAULTS);
        close(file);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct parts p = {{0}, {0}};
    if (divide(&p, data, size)) {
        rewrite(&p, false);
        rewrite(&p, true);
    }
    for (unsigned i = 0; i < PARTS; i++)
        free(p.text[i]);
    return 0;
}
