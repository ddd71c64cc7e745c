#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "join.h"
#include "metric.h"
#include "validate/csv.h"

enum { MANIFEST_FIELDS = 7, COLUMNS = 8192 };

struct profile {
    char **heading, **unit; /* [columns]: fields of the text */
    char ***row;            /* [rows][columns] */
    unsigned columns;
    size_t rows;
    unsigned kernel, block, grid; /* columns */
};

struct collect {
    const struct job *job;
    char *text[2]; /* owned: manifest and profile */
    struct join manifest, launches;
    struct profile profile;
};

static bool fail(const char *path, const char *what)
{
    fprintf(stderr, "validate-gpu: %s: %s\n", path, what);
    return false;
}

static char *read_text(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, room = 0, got = 1;
    while (file && got > 0) {
        if (size + 1 >= room) {
            room = room ? 2 * room : 1 << 16;
            char *grown = realloc(text, room);
            if (!grown) {
                free(text);
                text = NULL;
                break;
            }
            text = grown;
        }
        got = fread(text + size, 1, room - size - 1, file);
        size += got;
    }
    if (text)
        text[size] = '\0';
    if (file && file != stdin)
        fclose(file);
    if (!text)
        fail(path, "cannot be read");
    return text;
}

/* ---- manifest ---------------------------------------------------------------------------------------------------- */

static bool read_launch(struct join *join, char *const *field)
{
    struct join_launch *l = join_add(join);
    char *end;
    if (!l)
        return false;
    l->workload = field[0];
    l->size = field[1];
    l->launch = (unsigned)strtoul(field[2], &end, 10);
    l->kernel = field[3];
    l->ok = strcmp(field[6], "ok") == 0;
    return *field[2] && *end == '\0' && join_dim(field[4], &l->grid) && join_dim(field[5], &l->block);
}

static bool read_manifest(struct collect *c, const char *path)
{
    struct csv csv;
    char *field[MANIFEST_FIELDS], what[96];
    bool headed = false;
    c->text[0] = read_text(path);
    if (!c->text[0])
        return false;
    csv = csv_begin(c->text[0]);
    for (unsigned count; (count = csv_row(&csv, field, MANIFEST_FIELDS)) != 0; headed = true) {
        bool good =
            count >= MANIFEST_FIELDS && (headed ? read_launch(&c->manifest, field) : strcmp(field[0], "workload") == 0);
        if (!good) {
            snprintf(what, sizeof what, "line %u is not one of 'validate-gpu kernels --once --csv FILE'", csv.line);
            return fail(path, what);
        }
    }
    return headed || fail(path, "it is empty");
}

/* ---- profile ----------------------------------------------------------------------------------------------------- */

static bool find_column(const struct profile *p, const char *name, unsigned *column)
{
    for (unsigned i = 0; i < p->columns; i++) {
        if (strcmp(p->heading[i], name) == 0) {
            *column = i;
            return true;
        }
    }
    return false;
}

static char **copy_row(char *const *field, unsigned count)
{
    char **copy = malloc(count * sizeof *copy);
    if (copy)
        memcpy(copy, field, count * sizeof *copy);
    return copy;
}

/* The name of a kernel without the C++ around it: "void f<int>(int *)" is f. */
static void cut_kernel(char **name)
{
    if (strncmp(*name, "void ", 5) == 0)
        *name += 5;
    (*name)[strcspn(*name, "(<")] = '\0';
}

static bool add_profiled(struct collect *c, char *const *field)
{
    struct profile *p = &c->profile;
    struct join_launch *l = join_add(&c->launches);
    char ***row = realloc(p->row, (p->rows + 1) * sizeof *row);
    if (row)
        p->row = row;
    char **copy = row && l ? copy_row(field, p->columns) : NULL;
    if (!copy)
        return false;
    p->row[p->rows++] = copy;
    cut_kernel(&copy[p->kernel]);
    l->kernel = copy[p->kernel];
    return join_dim(copy[p->grid], &l->grid) && join_dim(copy[p->block], &l->block);
}

/* Lines before the heading, and those of the profiler between rows, are not of the table. */
static bool read_line(struct collect *c, char *const *field, unsigned count)
{
    struct profile *p = &c->profile;
    if (!p->heading) {
        if (strcmp(field[0], "ID") != 0)
            return true;
        p->columns = count;
        p->heading = copy_row(field, count);
        return p->heading && find_column(p, "Kernel Name", &p->kernel) && find_column(p, "Grid Size", &p->grid) &&
               find_column(p, "Block Size", &p->block);
    }
    if (count != p->columns)
        return strncmp(field[0], "==", 2) == 0;
    if (!p->unit)
        return (p->unit = copy_row(field, count)) != NULL;
    return add_profiled(c, field);
}

static bool read_profile(struct collect *c, const char *path)
{
    char what[128], **field = malloc(COLUMNS * sizeof *field);
    c->text[1] = read_text(path);
    bool ok = field && c->text[1];
    struct csv csv = csv_begin(c->text[1]);
    for (unsigned count; ok && (count = csv_row(&csv, field, COLUMNS)) != 0;) {
        ok = count <= COLUMNS && read_line(c, field, count);
        snprintf(what, sizeof what, "line %u is not of 'ncu --csv --page raw'", csv.line);
        if (!ok)
            fail(path, what);
    }
    free(field);
    if (!ok || c->profile.unit)
        return ok;
    return fail(path, "it has no table; did ncu say why? (permission to count: see docs/validation.md)");
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void write_row(const struct collect *c, const struct join_launch *l, const char *source, FILE *out)
{
    const struct profile *p = &c->profile;
    char quantity[256];
    for (unsigned i = 0; i < p->columns; i++) {
        double value, factor;
        const char *unit = metric_unit(p->unit[i], &factor);
        if (!metric_counts(p->heading[i]) || !metric_value(p->row[l->other][i], &value))
            continue;
        snprintf(quantity, sizeof quantity, "kernel.%s.%s.%u.%s", l->workload, l->size, l->launch,
                 metric_name(p->heading[i]));
        job_row(out, c->job->gpu, quantity, value * factor, unit, source);
    }
}

static int write_rows(const struct collect *c, const char *source, FILE *out)
{
    unsigned missing = 0, wrong = 0, foreign = 0;
    for (size_t i = 0; i < c->manifest.count; i++) {
        const struct join_launch *l = &c->manifest.launch[i];
        missing += l->other == JOIN_NONE;
        wrong += l->other != JOIN_NONE && !l->ok;
        if (l->other != JOIN_NONE && l->ok)
            write_row(c, l, source, out);
        else
            fprintf(stderr, "validate-gpu: %s, %s, launch %u: %s\n", l->workload, l->size, l->launch,
                    l->ok || l->other == JOIN_NONE ? "not in the profile" : "its result was wrong");
    }
    for (size_t i = 0; i < c->launches.count; i++)
        foreign += c->launches.launch[i].other == JOIN_NONE;
    fprintf(stderr, "validate-gpu: %zu launches, %u not in the profile, %u wrong; %u of the profile's %zu unknown\n",
            c->manifest.count, missing, wrong, foreign, c->launches.count);
    return missing + wrong == 0 ? JOB_GOOD : JOB_FAILED;
}

/* The '#' lines of the manifest: of which GPU, when and how. */
static void copy_comments(const char *path, FILE *out, char *product, size_t size)
{
    static const char gpu[] = "# GPU: ";
    char line[1024];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            fputs(line, out);
        if (strncmp(line, gpu, strlen(gpu)) == 0)
            snprintf(product, size, "%.*s", (int)strcspn(line + strlen(gpu), ",\"\n"), line + strlen(gpu));
    }
    if (file)
        fclose(file);
}

static void clear(struct collect *c)
{
    for (size_t i = 0; i < c->profile.rows; i++)
        free(c->profile.row[i]);
    free(c->profile.row);
    free(c->profile.heading);
    free(c->profile.unit);
    join_free(&c->manifest);
    join_free(&c->launches);
    free(c->text[0]);
    free(c->text[1]);
}

int job_collect(const struct job *job)
{
    struct collect c = {.job = job};
    int status = JOB_FAILED;
    if (job->names != 2 || !job->gpu) {
        fprintf(stderr, "validate-gpu: collect MANIFEST.csv NCU.csv --gpu NAME [--rows FILE]\n");
        return JOB_USAGE;
    }
    if (read_manifest(&c, job->name[0]) && read_profile(&c, job->name[1])) {
        const char *path = job->rows ? job->rows : "-";
        join_match(&c.manifest, &c.launches);
        FILE *out = job_output(job, NULL, path, JOB_ROWS_HEADING);
        if (out) {
            char product[96] = "a GPU that the manifest does not name", source[128];
            copy_comments(job->name[0], out, product, sizeof product);
            snprintf(source, sizeof source, "Nsight Compute on %s", product);
            status = write_rows(&c, source, out);
            status = job_close(out, path) ? status : JOB_FAILED;
        }
    }
    clear(&c);
    return status;
}
