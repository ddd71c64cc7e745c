#include "base/team.h"

#include <pthread.h>
#include <sched.h>

#include "tests/unit.h"

enum { MOST = 1000 };
static const unsigned THREADS[] = {1, 2, 3, 8};

struct job {
    unsigned calls[MOST];
    unsigned input;
    unsigned output[MOST];
};

static void work(void *context, unsigned index)
{
    struct job *job = context;
    job->calls[index]++;
    job->output[index] = job->input + index;
}

static void check_run(struct team *team, struct job *job, unsigned count, unsigned round)
{
    memset(job, 0, sizeof *job);
    job->input = round * 7;
    team_run(team, count, work, job);
    for (unsigned i = 0; i < MOST; i++) {
        assert_int_equal(job->calls[i], i < count);
        assert_int_equal(job->output[i], i < count ? round * 7 + i : 0);
    }
}

static void each_index_runs_once_and_is_seen_by_the_caller(void **state)
{
    (void)state;
    struct job *job = malloc(sizeof *job);
    for (size_t t = 0; t < 4; t++) {
        struct team *team = team_create(THREADS[t]);
        assert_int_equal(team_size(team), THREADS[t]);
        for (unsigned count = 0; count <= 9; count++)
            check_run(team, job, count, count);
        check_run(team, job, MOST, 1);
        team_destroy(team);
    }
    free(job);
}

static void many_short_runs_follow_each_other(void **state)
{
    (void)state;
    struct job *job = malloc(sizeof *job);
    for (size_t t = 0; t < 4; t++) {
        struct team *team = team_create(THREADS[t]);
        for (unsigned round = 0; round < 500; round++)
            check_run(team, job, 1 + round % 5, round);
        team_destroy(team);
    }
    free(job);
}

static void remember_thread(void *context, unsigned index) { ((pthread_t *)context)[index] = pthread_self(); }

static void a_team_of_one_runs_in_the_caller(void **state)
{
    (void)state;
    pthread_t seen[5];
    struct team *team = team_create(1);
    team_run(team, 5, remember_thread, seen);
    for (int i = 0; i < 5; i++)
        assert_true(pthread_equal(seen[i], pthread_self()));
    team_destroy(team);
}

/* Two indices that wait for each other end only if two threads run them at the same time. */
static void meet(void *context, unsigned index)
{
    (void)index;
    _Atomic int *arrived = context;
    ++*arrived;
    while (*arrived < 2)
        sched_yield();
}

static void two_threads_run_at_the_same_time(void **state)
{
    (void)state;
    struct team *team = team_create(2);
    for (int round = 0; round < 50; round++) {
        _Atomic int arrived = 0;
        team_run(team, 2, meet, (void *)&arrived);
        assert_int_equal(arrived, 2);
    }
    team_destroy(team);
}

struct relay {
    atomic_uint step[64];
    unsigned seen[64];
};

static void pass_on(void *context, unsigned index)
{
    struct relay *relay = context;
    if (index > 0)
        team_await(&relay->step[index - 1], index);
    relay->seen[index] = index > 0 ? relay->seen[index - 1] + 1 : 1;
    atomic_store(&relay->step[index], index + 1);
}

static void an_index_waits_for_lower_ones_whatever_the_number_of_threads(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct relay relay = {0};
        struct team *team = team_create(threads);
        team_run(team, 64, pass_on, &relay);
        assert_int_equal(relay.seen[63], 64);
        team_destroy(team);
    }
}

static void a_team_that_never_ran_can_be_destroyed(void **state)
{
    (void)state;
    team_destroy(team_create(8));
    team_destroy(NULL);
}

UNIT_TESTS(UNIT(each_index_runs_once_and_is_seen_by_the_caller), UNIT(many_short_runs_follow_each_other),
           UNIT(a_team_of_one_runs_in_the_caller), UNIT(two_threads_run_at_the_same_time),
           UNIT(an_index_waits_for_lower_ones_whatever_the_number_of_threads),
           UNIT(a_team_that_never_ran_can_be_destroyed))
