#include "driver/queue/activity.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "driver/queue/graph_run.h"
#include "driver/state/context.h"
#include "driver/state/driver.h"
#include "driver/state/say.h"
#include "report/activity.h"

/* Each record is one write, so that processes that share the file do not mix theirs. */
static void append(struct queue *queue, const struct activity *activity)
{
    const char *path = queue->driver->settings.activities;
    if (!path || queue->activities_failed)
        return;
    if (!queue->activities)
        queue->activities = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    queue->activities_failed =
        queue->activities < 0 || write(queue->activities, activity, sizeof *activity) != sizeof *activity;
    if (queue->activities_failed)
        say("%s: copies and graphs cannot be written for a timeline: %s", path, strerror(errno));
}

static uint64_t bytes_of(const struct command *command)
{
    const struct copy_command *copy = &command->copy;
    const struct set_command *set = &command->set;
    return command->kind == COMMAND_SET ? (uint64_t)set->width * set->bytes * set->height
                                        : (uint64_t)copy->width * copy->height * copy->depth;
}

static void tell_profiler(const struct queued *item, const struct cost *cost, double end)
{
    const struct command *command = &item->command;
    bool sets = command->kind == COMMAND_SET;
    profile_command(&(struct profile_command){
        .kind = sets ? PROFILE_SET : PROFILE_COPY,
        .origin = item->origin,
        .begin = end - cost->seconds,
        .end = end,
        .context = item->stream->context->id,
        .stream = item->stream->id,
        .transfer = {.from = sets ? PROFILE_DEVICE : command->copy.from.memory,
                     .to = sets ? command->set.memory : command->copy.to.memory,
                     .bytes = bytes_of(command),
                     .value = sets ? command->set.value : 0},
    });
}

void activity_command(struct queue *queue, const struct queued *item, const struct cost *cost, double end)
{
    const struct command *command = &item->command;
    if (command->kind != COMMAND_COPY && command->kind != COMMAND_SET)
        return;
    bool sets = command->kind == COMMAND_SET;
    if (item->origin.correlation != 0)
        tell_profiler(item, cost, end);
    append(queue, &(struct activity){.layout = sizeof(struct activity),
                                     .process = (int32_t)getpid(),
                                     .kind = sets                              ? ACTIVITY_SET
                                             : cost->engine == ENGINE_COPY_IN  ? ACTIVITY_COPY_IN
                                             : cost->engine == ENGINE_COPY_OUT ? ACTIVITY_COPY_OUT
                                                                               : ACTIVITY_COPY_DEVICE,
                                     .stream = item->stream->id,
                                     .bytes = bytes_of(command),
                                     .scope = item->place.scope,
                                     .order = item->place.order,
                                     .begin = end - cost->seconds,
                                     .end = end});
}

void activity_graph(struct queue *queue, const struct queued *item)
{
    struct activity a = {.layout = sizeof a,
                         .process = (int32_t)getpid(),
                         .kind = ACTIVITY_GRAPH,
                         .stream = item->stream->id,
                         .scope = item->place.scope,
                         .order = item->place.order};
    if (graph_run_over(item->run, &a.nodes, &a.begin, &a.end))
        append(queue, &a);
}
