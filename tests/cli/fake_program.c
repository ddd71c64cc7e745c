/* Stands for a CUDA program: appends the records that its words ask for, as our libcuda does, and prints its
 * surroundings.
 *
 *   fake_program WORD...    say:TEXT prints TEXT; env:NAME prints a variable; exit:N ends with N; signal:N ends by a
 *                           signal. wait prints "waiting" and waits for one. KERNEL:CYCLES is a launch (0: functional),
 *                           KERNEL:CYCLES:ERROR one that fails. fork goes on in a child, and waits for it;
 *                           call:FILE:NAME calls a function of a library and prints its number
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/live.h"
#include "report/record.h"
#include "tests/report/sample.h"

static void launch(struct recorder *recorder, struct live_place *live, char *word)
{
    char *kernel = strtok(word, ":"), *cycles = strtok(NULL, ":"), *error = strtok(NULL, ":");
    struct kernel_result result = sample(1);
    struct launch_info info = {.kernel = kernel, .stream = 1, .begin = 1e-6, .end = 2e-6};
    result.cycles = cycles ? strtoull(cycles, NULL, 10) : 0;
    result.detailed = result.cycles > 0;
    snprintf(result.kernel, sizeof result.kernel, "%s", kernel);
    if (error) {
        info.error = atoi(error);
        info.error_name = "CUDA_ERROR_OF_A_TEST";
        result.complete = false;
    }
    record_launch(recorder, &info, &result);
    if (recorder->error && live)
        live->record_error = recorder->error;
}

static void call(char *word)
{
    char *file = strtok(word, ":"), *name = strtok(NULL, ":");
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    int (*function)(void) = NULL;
    if (library && name)
        *(void **)&function = dlsym(library, name);
    if (function)
        printf("%s %d\n", name, function());
    else
        puts(dlerror());
}

static bool starts(const char *word, const char *with) { return strncmp(word, with, strlen(with)) == 0; }

static void act(struct recorder *recorder, struct live_place *live, char *word)
{
    const char *value = strchr(word, ':');
    value = value ? value + 1 : "";
    int ended;
    if (starts(word, "say:")) {
        puts(value);
    } else if (starts(word, "env:")) {
        printf("%s=%s\n", value, getenv(value) ? getenv(value) : "(none)");
    } else if (starts(word, "call:")) {
        call(word + strlen("call:"));
    } else if (starts(word, "exit:")) {
        exit(atoi(value));
    } else if (starts(word, "signal:")) {
        raise(atoi(value));
    } else if (strcmp(word, "wait") == 0) {
        puts("waiting");
        fflush(stdout);
        pause();
    } else if (strcmp(word, "fork") == 0) {
        if (fork() != 0) {
            wait(&ended);
            exit(WEXITSTATUS(ended));
        }
    } else {
        launch(recorder, live, word);
    }
}

int main(int argc, char **argv)
{
    struct recorder recorder;
    const char *quiet = getenv("SUBCORE_QUIET");
    recorder_init(&recorder, getenv("SUBCORE_RECORD"), quiet && strcmp(quiet, "1") == 0);
    struct live_place *live = live_join(getenv("SUBCORE_RECORD"));
    for (int i = 1; i < argc; i++)
        act(&recorder, live, argv[i]);
    recorder_close(&recorder);
    return 0;
}
