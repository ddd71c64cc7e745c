/* The answers of a GPU: runs the kernels that tools/answers.py wrote, each of which executes one instruction for a
 * table of operands, and records every word that the instruction wrote (tools/answers_results.py describes the file).
 *
 * A kernel may be illegal on the card, or never end. Such an error stays with the process. So kernels run in a child
 * that says before each which one it begins. When it has ended the next child goes on behind that kernel. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job.h"
#include "validate/csv.h"

enum {
    FIELDS = 7,
    LANES = 32,
    MOST_WORDS = 16,
    WORD_BYTES = 4 * LANES,
    MANIFEST_BYTES = 4 << 20,
    PATIENCE = 30 /* seconds for a kernel, with the start of the child */
};
enum { ENDED = 9999 }; /* status of a kernel that its child did not survive, or that was ended */

struct kernel {
    const char *name, *file, *operands, *instruction;
    unsigned rows, row_bytes, words;
};

struct list {
    const char *folder;
    struct kernel *kernel;
    unsigned count;
};

/* The state of a child, with the code and data on the GPU. */
struct bench {
    struct card card;
    const struct list *list;
    FILE *out;
    const char *file, *operands; /* of the last kernel (NULL: nothing is loaded) */
    void *module;
    uint64_t in, result;
    size_t result_bytes;
    uint32_t *word;
};

/* ---- manifest ---------------------------------------------------------------------------------------------------- */

static char *read_whole(const char *folder, const char *name, size_t most, size_t *bytes)
{
    char path[CARD_PATH];
    snprintf(path, sizeof path, "%.3800s/%.200s", folder, name);
    FILE *file = fopen(path, "rb");
    char *data = file ? malloc(most + 1) : NULL;
    *bytes = data ? fread(data, 1, most, file) : 0;
    if (data)
        data[*bytes] = '\0';
    if (file)
        fclose(file);
    if (!data)
        fprintf(stderr, "validate-gpu: %s: cannot be read; 'tools/answers.py write FOLDER --arch sm_XY' makes one\n",
                path);
    return data;
}

static bool read_kernel(struct kernel *k, char *const *field)
{
    *k = (struct kernel){.name = field[0], .file = field[1], .operands = field[2], .instruction = field[6]};
    k->rows = (unsigned)strtoul(field[3], NULL, 10);
    k->row_bytes = (unsigned)strtoul(field[4], NULL, 10);
    k->words = (unsigned)strtoul(field[5], NULL, 10);
    return k->rows > 0 && k->row_bytes > 0 && k->words > 0 && k->words <= MOST_WORDS && !strchr(k->file, '/') &&
           !strchr(k->operands, '/') && !strchr(k->instruction, '\n');
}

static bool read_list(struct list *list, char *text)
{
    struct csv csv = csv_begin(text);
    char *field[FIELDS];
    bool headed = false;
    unsigned room = 0;
    for (unsigned count; (count = csv_row(&csv, field, FIELDS)) != 0; headed = true) {
        if (list->count == room) {
            room = room ? 2 * room : 1024;
            struct kernel *more = realloc(list->kernel, room * sizeof *more);
            if (!more)
                return false;
            list->kernel = more;
        }
        bool good = count == FIELDS &&
                    (headed ? read_kernel(&list->kernel[list->count], field) : strcmp(field[0], "kernel") == 0);
        if (!good) {
            fprintf(stderr, "validate-gpu: %s/manifest.csv: line %u is not a kernel\n", list->folder, csv.line);
            return false;
        }
        list->count += headed;
    }
    return list->count > 0;
}

/* ---- one kernel -------------------------------------------------------------------------------------------------- */

static bool load(struct bench *b, const struct kernel *k)
{
    char path[CARD_PATH];
    if (!b->file || strcmp(b->file, k->file) != 0) {
        if (b->module)
            b->card.driver.module_unload(b->module);
        snprintf(path, sizeof path, "%.3800s/%.200s", b->list->folder, k->file);
        b->module = card_load(&b->card, path);
        b->file = b->module ? k->file : NULL;
    }
    size_t bytes, all = (size_t)k->rows * k->row_bytes;
    if (b->module && (!b->operands || strcmp(b->operands, k->operands) != 0)) {
        char *data = read_whole(b->list->folder, k->operands, all, &bytes);
        if (b->in)
            card_release(&b->card, b->in);
        b->in = data && bytes == all ? card_alloc(&b->card, all) : 0;
        bool ok = b->in && card_write(&b->card, b->in, data, all);
        b->operands = ok ? k->operands : NULL;
        free(data);
    }
    return b->module && b->operands;
}

static bool make_room(struct bench *b, size_t bytes)
{
    if (bytes <= b->result_bytes)
        return true;
    if (b->result)
        card_release(&b->card, b->result);
    free(b->word);
    b->word = malloc(bytes);
    b->result = b->word ? card_alloc(&b->card, bytes) : 0;
    b->result_bytes = b->result ? bytes : 0;
    return b->result != 0;
}

static bool run(struct bench *b, const struct kernel *k)
{
    size_t bytes = (size_t)k->rows * k->words * WORD_BYTES;
    if (!load(b, k) || !make_room(b, bytes))
        return false;
    const uint64_t parameters[2] = {b->result, b->in};
    const struct card_launch launch = {.module = b->module,
                                       .kernel = k->name,
                                       .grid = {k->rows, 1, 1},
                                       .block = {LANES, 1, 1},
                                       .parameters = parameters,
                                       .parameter_bytes = sizeof parameters};
    return b->card.driver.memory_set(b->result, 0, bytes) == 0 && card_launch(&b->card, &launch) &&
           card_read(&b->card, b->word, b->result, bytes);
}

/* ---- the record -------------------------------------------------------------------------------------------------- */

/* Returns the word that a result holds before the instruction (tools/answers.py). */
static uint32_t before(unsigned word, unsigned lane)
{
    enum { REGISTERS = 8 };
    return word < REGISTERS ? 0xdead0000 + word : lane & 1;
}

static unsigned written(const struct kernel *k, const uint32_t *word)
{
    unsigned mask = 0;
    for (size_t row = 0; row < k->rows; row++)
        for (unsigned w = 0; w < k->words; w++)
            for (unsigned lane = 0; lane < LANES; lane++)
                if (word[(row * k->words + w) * LANES + lane] != before(w, lane))
                    mask |= 1u << w;
    return mask;
}

static uint64_t digest(uint64_t sum, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ byte[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static void record(FILE *out, const struct kernel *k, int status, const uint32_t *word)
{
    unsigned mask = status ? 0 : written(k, word), count = 0;
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; mask && i < (size_t)k->rows * k->words; i++)
        if (mask >> i % k->words & 1)
            sum = digest(sum, word + i * LANES, WORD_BYTES), count++;
    fprintf(out, "= %d %x %zu %016llx %s\n", status, mask, (size_t)count * WORD_BYTES, (unsigned long long)sum,
            k->instruction);
    for (size_t i = 0; mask && i < (size_t)k->rows * k->words; i++)
        if (mask >> i % k->words & 1)
            fwrite(word + i * LANES, 1, WORD_BYTES, out);
    fputc('\n', out);
    fflush(out);
}

/* ---- children ---------------------------------------------------------------------------------------------------- */

/* Runs kernels from `first` on until one fails, and tells `progress` of each before it begins and after its record. */
static int child(const struct job *job, const struct list *list, unsigned first, int progress)
{
    struct bench b = {.list = list};
    struct job own = *job;
    own.append = first > 0 || job->append;
    if (!job_open(&own, &b.card, false) || !(b.out = job_output(&own, &b.card, job->csv, "answers")))
        return JOB_USAGE;
    bool ok = true;
    for (unsigned i = first; ok && i < list->count; i++) {
        const struct kernel *k = &list->kernel[i];
        unsigned told[2] = {2 * i, 2 * i + 1};
        b.card.error[0] = '\0';
        b.card.code = 0;
        ok = write(progress, &told[0], sizeof told[0]) == sizeof told[0];
        bool good = run(&b, k);
        if (!good)
            fprintf(stderr, "validate-gpu: %s: %s\n", k->instruction, b.card.error);
        record(b.out, k, good ? 0 : b.card.code ? b.card.code : ENDED, b.word);
        ok = write(progress, &told[1], sizeof told[1]) == sizeof told[1] && good;
    }
    job_close(b.out, job->csv);
    if (ok)
        card_close(&b.card);
    return ok ? JOB_GOOD : JOB_FAILED;
}

/* Follows a child to its end, or ends it. Returns the number that it told last: twice a kernel, and one more if its
 * record is there. */
static unsigned follow(int progress, pid_t process, unsigned patience, unsigned last)
{
    struct pollfd wait = {.fd = progress, .events = POLLIN};
    unsigned told;
    for (;;) {
        if (poll(&wait, 1, (int)(1000 * patience)) <= 0) {
            kill(process, SIGKILL);
            return last;
        }
        if (read(progress, &told, sizeof told) != sizeof told)
            return last;
        last = told;
    }
}

/* Returns the kernel to go on with, or the number of kernels when nothing can. */
static unsigned run_child(const struct job *job, const struct list *list, unsigned first, unsigned *failed)
{
    enum { NOTHING = UINT32_MAX };
    int pipe_ends[2], status = 0;
    if (pipe(pipe_ends) != 0)
        return list->count;
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        close(pipe_ends[0]);
        exit(child(job, list, first, pipe_ends[1]));
    }
    close(pipe_ends[1]);
    unsigned patience = job->patience ? job->patience : PATIENCE;
    unsigned last = process > 0 ? follow(pipe_ends[0], process, patience, NOTHING) : NOTHING;
    close(pipe_ends[0]);
    if (process > 0)
        waitpid(process, &status, 0);
    if (last == NOTHING) { /* no GPU, or no file to write */
        *failed = list->count;
        return list->count;
    }
    bool recorded = last % 2, good = WIFEXITED(status) && WEXITSTATUS(status) == JOB_GOOD;
    FILE *out = recorded ? NULL : fopen(job->csv, "ab");
    if (out) {
        record(out, &list->kernel[last / 2], ENDED, NULL);
        fclose(out);
    }
    *failed += !good;
    return last / 2 + 1;
}

int job_answers(const struct job *job)
{
    size_t bytes;
    if (job->names != 1 || !job->csv || strcmp(job->csv, "-") == 0) {
        fprintf(stderr, "validate-gpu: answers FOLDER --csv FILE\n");
        return JOB_USAGE;
    }
    struct list list = {.folder = job->name[0]};
    char *text = read_whole(list.folder, "manifest.csv", MANIFEST_BYTES, &bytes);
    unsigned failed = 0;
    if (!text)
        return JOB_FAILED;
    bool ok = read_list(&list, text);
    for (unsigned next = 0; ok && next < list.count;)
        next = run_child(job, &list, next, &failed);
    if (ok && failed < list.count)
        fprintf(job_text(job), "%u kernels, %u of them without an answer\n", list.count, failed);
    ok = ok && failed < list.count;
    free(list.kernel);
    free(text);
    return ok ? JOB_GOOD : JOB_FAILED;
}
