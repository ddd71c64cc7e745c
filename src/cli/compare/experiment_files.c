#include "cli/compare/experiment_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/options.h"
#include "cli/version.h"
#include "experiment/code.h"
#include "validate/csv.h"

enum { PATH = 4096, WORDS_LIMIT = 1 << 26, WORD_FIELDS = 4 };

/* ---- code -------------------------------------------------------------------------------------------------------- */

bool experiment_folder_begin(struct experiment_folder *folder, const char *path, const char *gpu, unsigned arch,
                             struct status *status)
{
    char name[PATH];
    *folder = (struct experiment_folder){.path = path, .gpu = gpu, .arch = arch};
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return status_fail(status, STATUS_IO, "--write %s: %s", path, strerror(errno));
    snprintf(name, sizeof name, "%.4000s/manifest.csv", path);
    if (!file_output_open(&folder->manifest, name, status))
        return false;
    fprintf(folder->manifest.stream, "# subcore %s: experiments for %s, sm_%u; validate-gpu experiments runs them\n",
            CLI_VERSION, gpu, arch);
    fprintf(folder->manifest.stream, "experiment,row,file,kernel,warps,stores\n");
    return true;
}

static bool write_cubin(const struct experiment_folder *folder, const char *file, const struct experiment_code *code,
                        struct status *status)
{
    char path[PATH];
    struct file_output out;
    snprintf(path, sizeof path, "%.3800s/%.200s", folder->path, file);
    if (!file_output_open(&out, path, status))
        return false;
    fwrite(code->cubin, 1, code->bytes, out.stream);
    return file_output_commit(&out, status);
}

static bool write_rows(const struct experiment_folder *folder, const struct experiment *e, const char *file,
                       struct status *status)
{
    for (unsigned row = 0; row < e->rows; row++) {
        char kernel[EXPERIMENT_TEXT];
        unsigned warps;
        if (!code_warps(e, row, folder->arch, &warps, status))
            return false;
        experiment_kernel(kernel, row);
        fprintf(folder->manifest.stream, "%s,%u,%s,%s,%u,%u\n", e->name, row + 1, file, kernel, warps, e->stores);
    }
    return true;
}

bool experiment_folder_add(struct experiment_folder *folder, const struct experiment *e, struct status *status)
{
    char file[256];
    struct experiment_code code = {0};
    struct status reason = {0};
    snprintf(file, sizeof file, "%.200s.sm_%u.cubin", e->name, folder->arch);
    if (e->stores == 0)
        status_fail(&reason, STATUS_UNSUPPORTED, "experiment %s stores nothing", e->name);
    if (e->stores == 0 || !code_suits(e, folder->arch, &reason) ||
        !code_assemble(e, 0, e->rows, folder->arch, &code, &reason)) {
        fprintf(folder->manifest.stream, "# left out: %s\n", reason.text);
        folder->left_out++;
        free(code.cubin);
        return true;
    }
    bool ok = write_cubin(folder, file, &code, status) && write_rows(folder, e, file, status);
    free(code.cubin);
    folder->written += ok;
    return ok;
}

bool experiment_folder_end(struct experiment_folder *folder, struct status *status)
{
    return file_output_commit(&folder->manifest, status);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static struct experiment_record *add(struct experiment_records *records)
{
    size_t room = records->count;
    if ((room & (room - 1)) == 0) { /* doubled at each power of two */
        struct experiment_record *grown = realloc(records->record, (room ? 2 * room : 1) * sizeof *grown);
        if (!grown)
            return NULL;
        records->record = grown;
    }
    records->record[room] = (struct experiment_record){0};
    return &records->record[records->count++];
}

/* Numbers with a blank between them. */
static bool read_words(struct experiment_record *record, const char *text)
{
    enum { MOST = EXPERIMENT_WARPS * EXPERIMENT_STORES };
    record->word = calloc(MOST, sizeof *record->word);
    while (record->word && record->words < MOST) {
        char *end;
        errno = 0;
        unsigned long word = strtoul(text, &end, 10);
        if (end == text || errno || word > UINT32_MAX || *text < '0' || *text > '9')
            return false;
        record->word[record->words++] = (uint32_t)word;
        if (*end == '\0')
            return true;
        if (*end != ' ')
            return false;
        text = end + 1;
    }
    return false;
}

static bool read_record(struct experiment_records *records, char *const *field)
{
    struct experiment_record *r = add(records);
    uint64_t row;
    if (!r || !cli_number(field[1], UINT32_MAX, &row) || row == 0)
        return false;
    r->row = (unsigned)row - 1;
    char *name = strdup(field[0]);
    r->experiment = name;
    return name && *name && read_words(r, field[3]);
}

bool experiment_words_read(struct experiment_records *records, const char *path, struct status *status)
{
    struct file_bytes bytes;
    char *field[WORD_FIELDS];
    *records = (struct experiment_records){0};
    if (!file_read(path, WORDS_LIMIT, &bytes, status))
        return false;
    char *text = strndup((const char *)bytes.data, bytes.size);
    file_free(&bytes);
    if (!text)
        return status_fail(status, STATUS_MEMORY, "no memory for %s", path);
    struct csv csv = csv_begin(text);
    bool ok = true, headed = false;
    for (unsigned count; ok && (count = csv_row(&csv, field, WORD_FIELDS)) != 0; headed = true) {
        ok = count == WORD_FIELDS && (headed ? read_record(records, field)
                                             : strcmp(field[0], "experiment") == 0 && strcmp(field[3], "words") == 0);
        if (!ok)
            status_fail(status, STATUS_FORMAT, "%s: line %u is not one of 'validate-gpu experiments'", path, csv.line);
    }
    free(text);
    if (ok && records->count == 0)
        ok = status_fail(status, STATUS_FORMAT, "%s: it holds no words of an experiment", path);
    return ok;
}

void experiment_words_free(struct experiment_records *records)
{
    for (size_t i = 0; i < records->count; i++) {
        free((char *)records->record[i].experiment);
        free(records->record[i].word);
    }
    free(records->record);
    *records = (struct experiment_records){0};
}

bool experiment_words_have(const struct experiment_records *records, const char *experiment)
{
    for (size_t i = 0; i < records->count; i++)
        if (strcmp(records->record[i].experiment, experiment) == 0)
            return true;
    return false;
}
