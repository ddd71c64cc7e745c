/* Records of launches with arbitrary contents go through all that `subcore exec` makes of them. The input is a list of
 * changes to records that are right: how many bytes, where (two bytes), and the bytes; 0 ends a record, and the next
 * one begins; 255 cuts the file here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "report/launches.h"
#include "report/report.h"

enum { CUT = 255, RECORDS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As assert, in every build. */
static void hold(bool condition)
{
    if (!condition)
        abort();
}

static struct launch_record right(void)
{
    struct launch_record r = {.magic = RECORD_MAGIC,
                              .version = RECORD_VERSION,
                              .layout = sizeof r,
                              .bytes = sizeof r,
                              .end = 1e-6,
                              .process = 1,
                              .name = "kernel",
                              .result = {.gpu = "GPU",
                                         .kernel = "_Z6kernelv",
                                         .architecture = 86,
                                         .sms = 84,
                                         .clock_mhz = 1800,
                                         .dram_peak_gbs = 768,
                                         .grid = {1, 1, 1},
                                         .block = {32, 1, 1},
                                         .detailed = true,
                                         .complete = true,
                                         .ctas = 1,
                                         .ctas_done = 1,
                                         .cycles = 1000,
                                         .warp_instructions = 100,
                                         .host_seconds = 0.01,
                                         .threads = 1}};
    return r;
}

/* False: the file ends here. */
static bool change(struct launch_record *record, const uint8_t **at, const uint8_t *end)
{
    for (size_t left; (left = (size_t)(end - *at)) > 0;) {
        size_t length = *(*at)++;
        if (length == 0)
            return true;
        if (length == CUT || left < 3 + length)
            return false;
        size_t place = ((*at)[0] + 256u * (*at)[1]) % sizeof *record;
        size_t room = sizeof *record - place;
        memcpy((uint8_t *)record + place, *at + 2, length < room ? length : room);
        *at += 2 + length;
    }
    return true;
}

static void write_records(int fd, const uint8_t *data, size_t size)
{
    const uint8_t *at = data, *end = data + size;
    for (unsigned i = 0; i < RECORDS && (at < end || i == 0); i++) {
        struct launch_record record = right();
        bool whole = change(&record, &at, end);
        size_t bytes = whole && record.bytes < sizeof record ? record.bytes : sizeof record - (whole ? 0 : 1);
        hold(write(fd, &record, bytes) == (ssize_t)bytes);
        if (!whole)
            return;
    }
}

static void print_record(const struct launches *all, const struct launch_record *record, const struct config *config,
                         FILE *out)
{
    struct json json;
    char line[RECORD_LINE];
    record_line(record, line);
    hold(strlen(line) <= 121 && line[strlen(line) - 1] == '\n');
    launches_csv(record, launches_process(all, record), "", config, out);
    report_text(&record->result, config, out);
    report_line(&record->result, config, 0, out);
    json_begin(&json, out);
    json_object(&json, NULL);
    report_json(&record->result, config, &json, "kernel");
    json_end(&json);
}

static void read_records(const char *path, FILE *out)
{
    struct status status = {0};
    struct config config;
    struct launches all = {0};
    struct record_reader reader;
    struct launch_record record;
    hold(config_load(&config, "rtx-a6000", &status) && record_open(&reader, path, &status));
    while (record_next(&reader, &record)) {
        hold(launches_add(&all, &record));
        print_record(&all, &record, &config, out);
    }
    record_close(&reader);
    launches_sort(&all);
    launches_print(&all, &config, out);
    launches_free(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], *text = NULL;
    size_t length;
    int fd = memfd_create("records", MFD_CLOEXEC);
    FILE *out = open_memstream(&text, &length);
    hold(fd >= 0 && out);
    write_records(fd, data, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_records(path, out);
    hold(fclose(out) == 0);
    free(text);
    close(fd);
    return 0;
}
