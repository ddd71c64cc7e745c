/* A run is published by storing `remaining`. The thread that lowers it from n to n-1 has claimed the index count-n.
 * A claim can only succeed while the run is open, so a thread that wakes up late needs no further protocol. Threads
 * wait by spinning for a moment and then on a condition variable. */
#include "base/team.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { TEAM_MAX = 256, SPINS = 4000 };

struct team {
    _Atomic unsigned remaining; /* indices of the open run that no thread has claimed */
    _Atomic unsigned done;      /* indices of the open run that have returned */
    _Atomic unsigned sleepers;  /* workers on `work_ready` */
    _Atomic bool leader_sleeps; /* the caller is on `work_done` */
    _Atomic bool stop;

    void (*work)(void *context, unsigned index); /* the open run */
    void *context;
    unsigned count;

    unsigned workers;
    unsigned spins; /* 0 when there are more threads than processors */
    pthread_mutex_t lock;
    pthread_cond_t work_ready, work_done;
    pthread_t thread[TEAM_MAX];
};

static void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Takes part in the open run until no index is left to claim. */
static void help(struct team *team)
{
    unsigned left = atomic_load(&team->remaining);
    while (left > 0) {
        if (!atomic_compare_exchange_weak(&team->remaining, &left, left - 1))
            continue;
        unsigned count = team->count;
        team->work(team->context, count - left);
        if (atomic_fetch_add(&team->done, 1) + 1 == count && atomic_load(&team->leader_sleeps)) {
            pthread_mutex_lock(&team->lock);
            pthread_cond_signal(&team->work_done);
            pthread_mutex_unlock(&team->lock);
        }
        left = atomic_load(&team->remaining);
    }
}

static bool has_work(struct team *team) { return atomic_load(&team->remaining) > 0 || atomic_load(&team->stop); }

static void *worker(void *argument)
{
    struct team *team = argument;
    while (!atomic_load(&team->stop)) {
        for (unsigned i = 0; i < team->spins && !has_work(team); i++)
            pause_cpu();
        if (!has_work(team)) {
            pthread_mutex_lock(&team->lock);
            atomic_fetch_add(&team->sleepers, 1);
            while (!has_work(team))
                pthread_cond_wait(&team->work_ready, &team->lock);
            atomic_fetch_sub(&team->sleepers, 1);
            pthread_mutex_unlock(&team->lock);
        }
        help(team);
    }
    return NULL;
}

static void wake_workers(struct team *team)
{
    if (atomic_load(&team->sleepers) == 0)
        return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->work_ready);
    pthread_mutex_unlock(&team->lock);
}

/* Starts the workers with all signals blocked, so that signals reach the caller. */
static bool start_workers(struct team *team, unsigned wanted)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (team->workers < wanted && pthread_create(&team->thread[team->workers], NULL, worker, team) == 0)
        team->workers++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return team->workers == wanted;
}

struct team *team_create(unsigned threads)
{
    assert(threads >= 1 && threads <= TEAM_MAX);
    struct team *team = calloc(1, sizeof *team);
    if (!team)
        return NULL;
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && threads <= (unsigned)CPU_COUNT(&allowed))
        team->spins = SPINS;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->work_ready, NULL);
    pthread_cond_init(&team->work_done, NULL);
    if (start_workers(team, threads - 1))
        return team;
    team_destroy(team);
    return NULL;
}

void team_destroy(struct team *team)
{
    if (!team)
        return;
    atomic_store(&team->stop, true);
    wake_workers(team);
    for (unsigned i = 0; i < team->workers; i++)
        pthread_join(team->thread[i], NULL);
    pthread_cond_destroy(&team->work_done);
    pthread_cond_destroy(&team->work_ready);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

unsigned team_size(const struct team *team) { return team->workers + 1; }

void team_run(struct team *team, unsigned count, void (*work)(void *context, unsigned index), void *context)
{
    if (team->workers == 0) {
        for (unsigned i = 0; i < count; i++)
            work(context, i);
        return;
    }
    if (count == 0)
        return;
    team->work = work;
    team->context = context;
    team->count = count;
    atomic_store(&team->done, 0);
    atomic_store(&team->remaining, count);
    wake_workers(team);
    help(team);
    for (unsigned i = 0; i < team->spins && atomic_load(&team->done) < count; i++)
        pause_cpu();
    if (atomic_load(&team->done) == count)
        return;
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->leader_sleeps, true);
    while (atomic_load(&team->done) < count)
        pthread_cond_wait(&team->work_done, &team->lock);
    atomic_store(&team->leader_sleeps, false);
    pthread_mutex_unlock(&team->lock);
}

void team_await(const atomic_uint *word, unsigned value)
{
    for (unsigned i = 0; atomic_load(word) != value; i++)
        if (i < SPINS)
            pause_cpu();
        else
            sched_yield();
}
