/* The two formats of schedules. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "gpu/cta_schedule.h"

/* A line, and where one stands in it. */
struct scan {
    const char *at, *end;
    size_t line;
    const char *path;
    struct status *status;
};

static bool fail(const struct scan *s, const char *what)
{
    return status_fail(s->status, STATUS_FORMAT, "%s:%zu: %s", s->path, s->line, what);
}

static bool no_memory(const struct scan *s)
{
    return status_fail(s->status, STATUS_MEMORY, "%s: no memory for so many CTAs", s->path);
}

static void skip_blanks(struct scan *s)
{
    while (s->at < s->end && isspace((unsigned char)*s->at))
        s->at++;
}

static bool take_text(struct scan *s, const char *text)
{
    size_t length = strlen(text);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, text, length) != 0)
        return false;
    s->at += length;
    return true;
}

/* A decimal number of at most `most`. */
static bool take_number(struct scan *s, uint64_t most, uint64_t *out)
{
    const char *begin = s->at;
    *out = 0;
    for (; s->at < s->end && isdigit((unsigned char)*s->at); s->at++) {
        uint64_t digit = (uint64_t)(*s->at - '0');
        if (*out > (most - digit) / 10)
            return false;
        *out = *out * 10 + digit;
    }
    return s->at > begin;
}

/* ---- ours -------------------------------------------------------------------------------------------------------- */

static bool read_launch(struct cta_schedule *s, struct scan *in, struct cta_schedule_launch *head)
{
    uint64_t number, ctas;
    skip_blanks(in);
    if (!take_number(in, CTA_SCHEDULE_LAUNCHES, &number) || number != s->count + 1)
        return fail(in, "launches have numbers from 1 on, one after the other");
    skip_blanks(in);
    if (!take_number(in, UINT32_MAX, &ctas) || ctas == 0)
        return fail(in, "behind a launch's number stand its CTAs");
    skip_blanks(in);
    if (in->at == in->end)
        return fail(in, "behind a launch's CTAs stands its kernel");
    *head = (struct cta_schedule_launch){.kernel = strndup(in->at, (size_t)(in->end - in->at)), .ctas = ctas};
    return head->kernel || no_memory(in);
}

static bool begin_launch(struct cta_schedule *s, struct scan *in)
{
    struct cta_schedule_launch head = {0};
    if (!read_launch(s, in, &head))
        return false;
    bool ok = cta_schedule_launch(s, (uint32_t)s->count, head.kernel, head.ctas);
    free(head.kernel);
    return ok || no_memory(in);
}

static bool read_sm(struct cta_schedule *s, struct scan *in)
{
    uint64_t sm, cta;
    skip_blanks(in);
    if (s->count == 0)
        return fail(in, "an SM before the first launch");
    if (!take_number(in, TOPOLOGY_SMS - 1, &sm))
        return fail(in, "behind sm stands its number");
    for (skip_blanks(in); in->at < in->end; skip_blanks(in)) {
        if (!take_number(in, UINT32_MAX, &cta) || (in->at < in->end && !isspace((unsigned char)*in->at)))
            return fail(in, "behind an SM's number stand the numbers of CTAs");
        if (!cta_schedule_add(&s->launch[s->count - 1], (struct cta_schedule_entry){cta, (uint16_t)sm}))
            return no_memory(in);
    }
    return true;
}

static bool read_line(struct cta_schedule *s, struct scan *in)
{
    if (take_text(in, "launch "))
        return begin_launch(s, in);
    if (take_text(in, "sm "))
        return read_sm(s, in);
    return fail(in, "a line begins with launch, sm or #");
}

/* ---- HyFiSS ------------------------------------------------------------------------------------------------------ */

/* (K,CTA,TIME), of which TIME is hexadecimal and does not count. */
static bool read_place(struct cta_schedule *s, struct scan *in, uint16_t sm)
{
    uint64_t launch, cta;
    if (!take_text(in, "(") || !take_number(in, CTA_SCHEDULE_LAUNCHES, &launch) || launch == 0 || !take_text(in, ",") ||
        !take_number(in, UINT32_MAX, &cta) || !take_text(in, ","))
        return fail(in, "CTAs are (KERNEL,CTA,TIME), with commas between them");
    const char *close = memchr(in->at, ')', (size_t)(in->end - in->at));
    if (!close)
        return fail(in, "a CTA without a closing parenthesis");
    in->at = close + 1;
    struct cta_schedule_launch *l = cta_schedule_launch(s, (uint32_t)launch - 1, NULL, 0);
    return (l && cta_schedule_add(l, (struct cta_schedule_entry){cta, sm})) || no_memory(in);
}

static bool read_issued(struct cta_schedule *s, struct scan *in)
{
    uint64_t of, count, sm, found = 0;
    if (!take_text(in, "sm_id_")) /* how many SMs there are, and which */
        return true;
    if (!take_number(in, TOPOLOGY_SMS - 1, &of))
        return fail(in, "behind sm_id_ stands the number of an SM");
    skip_blanks(in);
    if (!take_number(in, UINT32_MAX, &count) || !take_text(in, ",") || !take_number(in, TOPOLOGY_SMS - 1, &sm) ||
        sm != of)
        return fail(in, "an SM's line begins with the number of its CTAs and its own number");
    for (; in->at < in->end && take_text(in, ","); found++) {
        skip_blanks(in);
        if (in->at == in->end)
            break;
        if (!read_place(s, in, (uint16_t)sm))
            return false;
    }
    skip_blanks(in);
    return (in->at == in->end && found == count) || fail(in, "the line has not as many CTAs as it says");
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

bool cta_schedule_parse(struct cta_schedule *s, const char *text, size_t size, const char *path, struct status *status)
{
    struct scan in = {.path = path, .status = status};
    cta_schedule_begin(s);
    bool ok = !memchr(text, '\0', size) ||
              status_fail(status, STATUS_FORMAT, "%s: a schedule is text, and this file has a zero byte", path);
    for (const char *at = text, *end = text + size; ok && at < end; at = in.end < end ? in.end + 1 : end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        in.line++;
        in.at = at;
        in.end = newline ? newline : end;
        skip_blanks(&in);
        if (in.at == in.end || *in.at == '#')
            continue;
        ok = take_text(&in, "-trace_issued_") ? read_issued(s, &in) : read_line(s, &in);
    }
    if (ok && s->count == 0)
        ok = status_fail(status, STATUS_FORMAT, "%s: a schedule without a launch", path);
    if (!ok)
        cta_schedule_free(s);
    return ok;
}

bool cta_schedule_read(struct cta_schedule *s, const char *path, struct status *status)
{
    struct file_bytes bytes;
    if (!file_read(path, CTA_SCHEDULE_BYTES, &bytes, status))
        return false;
    bool ok = cta_schedule_parse(s, (const char *)bytes.data, bytes.size, path, status);
    file_free(&bytes);
    return ok;
}

static bool write_sms(const struct cta_schedule_launch *l, FILE *out)
{
    uint32_t count[TOPOLOGY_SMS];
    uint64_t *cta = calloc(l->count + 1, sizeof *cta);
    if (!cta)
        return false;
    cta_schedule_sort(l, cta, count);
    const uint64_t *next = cta;
    for (uint32_t sm = 0; sm < TOPOLOGY_SMS; sm++) {
        if (count[sm])
            fprintf(out, "sm %" PRIu32, sm);
        for (uint32_t i = 0; i < count[sm]; i++)
            fprintf(out, " %" PRIu64, *next++);
        if (count[sm])
            fputc('\n', out);
    }
    free(cta);
    return true;
}

bool cta_schedule_write(const struct cta_schedule *s, FILE *out)
{
    fputs("# The SM of each CTA, in the order in which they began. --schedule FILE follows it.\n", out);
    for (size_t i = 0; i < s->count; i++) {
        const struct cta_schedule_launch *l = &s->launch[i];
        fprintf(out, "launch %zu %" PRIu64 " %s\n", i + 1, l->ctas, l->kernel);
        if (!write_sms(l, out))
            return false;
    }
    return true;
}
