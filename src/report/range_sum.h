/* The contents of a program's ranges: its launches by the names of ranges, and the time at which the device worked
 * for each range.
 *
 * Ranges belong to host threads, whose time the simulator does not know. A range is therefore shown from the begin of
 * the first command that was submitted in it to the end of the last one. A range without commands, and a mark, stands
 * where the commands have ended that the process had submitted before. */
#ifndef SUBCORE_REPORT_RANGE_SUM_H
#define SUBCORE_REPORT_RANGE_SUM_H

#include "base/json.h"
#include "base/status.h"
#include "report/activity.h"
#include "report/range.h"
#include "report/record.h"

/* One range, or one mark. */
struct range_one {
    int32_t process;
    enum range_kind kind;
    uint64_t id, thread, order;
    char domain[RANGE_DOMAIN], name[RANGE_NAME];
    size_t row;        /* of those with its name */
    bool used;         /* a command was submitted in it */
    double begin, end; /* simulated seconds */
};

/* All ranges of one name. */
struct range_row {
    const char *domain, *name;
    uint64_t ranges, marks;
    uint64_t launches; /* each once, also where ranges of this name lie in each other */
    uint64_t timed, cycles;
    double seconds; /* simulated, of timed launches */
};

struct range_scope {
    int32_t process;
    uint64_t id;
    size_t one[RANGES_MOST]; /* numbers of ranges */
    size_t row[RANGES_MOST]; /* numbers of rows, each once */
    unsigned ones, rows;
};

/* The end of a command. */
struct range_command {
    int32_t process;
    uint64_t order;
    double end; /* after range_sum_end of this and all before it */
};

struct range_sum {
    struct range_one *one; /* by process and number */
    struct range_row *row; /* by the first range of each name */
    struct range_scope *scope;
    struct range_command *command;
    size_t ones, rows, scopes, commands, one_room, scope_room, command_room;
    size_t *shown; /* rows, the one with most simulated time first */
};

/* Reads the file that the program's processes have written. One that does not exist holds nothing. */
bool range_sum_read(struct range_sum *sum, const char *path, struct status *status);
/* False: out of memory. */
bool range_sum_launch(struct range_sum *sum, const struct launch_record *record);
bool range_sum_activity(struct range_sum *sum, const struct activity *activity);
/* After the last command. */
bool range_sum_end(struct range_sum *sum);
void range_sum_free(struct range_sum *sum);

/* The ranges of a scope (NULL: it has none). */
const struct range_scope *range_sum_scope(const struct range_sum *sum, int32_t process, uint64_t scope);

/* The names of a launch's ranges with semicolons between, the outermost first. */
enum { RANGES_TEXT = RANGES_MOST * (RANGE_DOMAIN + RANGE_NAME + 2) };
void range_sum_names(const struct range_sum *sum, const struct launch_record *record, char text[static RANGES_TEXT]);

/* A line for each row, those with most time first. `seconds`: of all launches. Nothing if there are no ranges. */
void range_sum_print(const struct range_sum *sum, double seconds, FILE *out);
/* Member "ranges". */
void range_sum_json(const struct range_sum *sum, struct json *json);
/* Member "ranges" of a launch: numbers in that array. */
void range_sum_json_launch(const struct range_sum *sum, const struct launch_record *record, struct json *json);

#endif
