#include "experiment/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asm/asm.h"
#include "experiment/template.h"
#include "isa/describe.h"

void experiment_kernel(char name[EXPERIMENT_TEXT], unsigned row) { snprintf(name, EXPERIMENT_TEXT, "row_%u", row + 1); }

static bool write_code(const struct experiment *e, unsigned from, unsigned to, unsigned arch, FILE *out,
                       struct status *status)
{
    fprintf(out, ".arch sm_%u\n", arch);
    for (unsigned row = from; row < to; row++)
        if (!template_expand(e, row, arch, out, status))
            return false;
    return true;
}

/* The first mistake, with the line it is in. */
static bool fail_assembly(const struct experiment *e, unsigned arch, const struct diagnostics *errors, const char *text,
                          struct status *status)
{
    if (errors->count == 0)
        return false;
    for (unsigned i = 1; i < errors->items[0].line && strchr(text, '\n'); i++)
        text = strchr(text, '\n') + 1;
    text += strspn(text, " ");
    return status_fail(status, STATUS_FORMAT, "experiment %s for sm_%u: %.160s: %.*s", e->name, arch,
                       errors->items[0].message, (int)strcspn(text, "\n"), text);
}

bool code_assemble(const struct experiment *e, unsigned from, unsigned to, unsigned arch, struct experiment_code *code,
                   struct status *status)
{
    char *text = NULL;
    size_t size;
    struct asm_output output = {0};
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return status_fail(status, STATUS_MEMORY, "no memory for the code of experiment %s", e->name);
    bool ok = write_code(e, from, to, arch, stream, status);
    ok = fclose(stream) == 0 && ok;
    struct asm_input input = {.text = text, .size = size};
    ok = ok && (asm_assemble(&input, &output, status) || fail_assembly(e, arch, &output.errors, text, status));
    free(text);
    *code = (struct experiment_code){output.cubin, output.size};
    return ok;
}

/* The architectures that the experiment is written for, as "sm_80 sm_86". */
static void list_architectures(const struct experiment *e, char *text, size_t size)
{
    size_t used = 0;
    unsigned arch;
    text[0] = '\0';
    for (unsigned i = 0; (arch = isa_architecture(i)) != 0; i++) {
        struct status status = {0};
        double wanted = 0;
        if (template_number(e, 0, arch, e->sm, &wanted, &status) && wanted != 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%ssm_%u", used ? " " : "", arch);
    }
}

bool code_suits(const struct experiment *e, unsigned arch, struct status *status)
{
    double wanted = 1;
    char known[EXPERIMENT_TEXT];
    if (e->sm && !template_number(e, 0, arch, e->sm, &wanted, status))
        return false;
    if (wanted != 0)
        return true;
    list_architectures(e, known, sizeof known);
    return status_fail(status, STATUS_UNSUPPORTED, "experiment %s has no code for sm_%u, only for %s", e->name, arch,
                       known);
}

bool code_warps(const struct experiment *e, unsigned row, unsigned arch, unsigned *warps, struct status *status)
{
    double number;
    if (!template_number(e, row, arch, e->warps, &number, status))
        return false;
    if (!(number >= 1 && number <= EXPERIMENT_WARPS))
        return status_fail(status, STATUS_FORMAT, "experiment %s: %g warps", e->name, number);
    *warps = (unsigned)number;
    return true;
}
