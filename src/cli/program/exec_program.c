#include "cli/program/exec_program.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/program/exec_images.h"
#include "cli/version.h"
#include "cubin/bytes.h"
#include "cubin/elf.h"
#include "cubin/host.h"

#define PROGRAM_LIMIT ((size_t)UINT32_MAX)

static const char runtime[] = "libcudart.so.";
static const char *const right_runtimes[] = {"libcudart.so.13", "libcudart.so.12"};

/* ---- where it is ------------------------------------------------------------------------------------------------- */

static bool runnable(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static bool search(struct exec_program *program, const char *name)
{
    char usual[256];
    const char *path = getenv("PATH");
    if (!path) {
        confstr(_CS_PATH, usual, sizeof usual);
        path = usual;
    }
    for (;;) {
        size_t length = strcspn(path, ":");
        int n = snprintf(program->path, sizeof program->path, "%.*s%s%s", (int)length, path, length ? "/" : "./", name);
        if (n > 0 && (size_t)n < sizeof program->path && runnable(program->path))
            return true;
        if (path[length] == '\0')
            return false;
        path += length + 1;
    }
}

bool exec_program_find(struct exec_program *program, const char *name, struct status *status)
{
    *program = (struct exec_program){.preload = CLI_PRELOADS};
    if (strlen(name) >= sizeof program->path)
        return status_fail(status, STATUS_USAGE, "the program's name is too long");
    if (!strchr(name, '/')) {
        if (search(program, name))
            return true;
        bool here = runnable(name);
        return status_fail(status, STATUS_IO, "%.200s: no such program on PATH%s%.200s%s", name,
                           here ? "; did you mean ./" : "", here ? name : "", here ? "?" : "");
    }
    strcpy(program->path, name);
    struct stat info;
    if (stat(name, &info) != 0)
        return status_fail(status, STATUS_IO, "%.300s: %s", name, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return status_fail(status, STATUS_IO, "%.300s: not a program", name);
    if (access(name, X_OK) != 0)
        return status_fail(status, STATUS_IO, "%.300s: it may not be executed (chmod +x)", name);
    return true;
}

/* ---- how it is linked -------------------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

/* Closed libraries whose interfaces are provided by libraries of our own. */
static bool have_own(const char *name)
{
    static const char *const names[] = {
        "libcublas.so.13",   "libcublas.so.12", "libcublasLt.so.13", "libcublasLt.so.12", "libcusolver.so.12",
        "libcusolver.so.11", "libcudnn.so.9",   "libcufft.so.12",    "libcufft.so.11",    "libcusparse.so.12",
        "libcurand.so.10",   "libnccl.so.2",    "libcupti.so.13",    "libcupti.so.12"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool check_closed(const struct exec_program *program, const struct host_program *host, struct status *status)
{
    char list[200] = "";
    for (size_t i = 0; i < host->needed_count; i++) {
        size_t used = strlen(list);
        if (host_library_is_closed(host->needed[i]) && !have_own(host->needed[i]))
            snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", host->needed[i]);
    }
    text_make_printable(list, "");
    if (list[0] == '\0')
        return true;
    return status_fail(status, STATUS_UNSUPPORTED,
                       "%.120s: it needs %s: NVIDIA's closed libraries work with NVIDIA's own driver only. Kernels of "
                       "your own and header libraries such as thrust and cub do run",
                       program->path, list);
}

static bool check_runtime(const struct exec_program *program, const struct host_program *host, struct status *status)
{
    for (size_t i = 0; i < host->needed_count; i++) {
        char name[64];
        if (!begins(host->needed[i], runtime) || strcmp(host->needed[i], right_runtimes[0]) == 0 ||
            strcmp(host->needed[i], right_runtimes[1]) == 0)
            continue;
        snprintf(name, sizeof name, "%s", host->needed[i]);
        text_make_printable(name, "");
        return status_fail(
            status, STATUS_UNSUPPORTED,
            "%.120s: it was built for %s, and the runtimes here are %s and %s: build it with the nvcc of "
            "CUDA 13 or 12 and -cudart shared",
            program->path, name, right_runtimes[0], right_runtimes[1]);
    }
    return true;
}

/* The compiler's code registers its images. Where that function is not imported it is inside. */
static bool runtime_inside(const struct host_program *host)
{
    return host->device_code && !host_program_mentions(host, "__cudaRegisterFatBinary");
}

static bool check_static(const struct exec_program *program, const struct host_program *host, struct status *status)
{
    struct status ignored = {0};
    bool kernels = runtime_inside(host) && exec_images_have_kernels(program->path, &ignored);
    if (!kernels)
        return true;
    return status_fail(
        status, STATUS_UNSUPPORTED,
        "%.120s: the CUDA runtime is linked into it (nvcc does that by default), and that one works with "
        "NVIDIA's own driver only. Link it again with: nvcc -cudart shared ...",
        program->path);
}

/* The runtime of the address sanitizer ends a program in which another library is loaded before it. */
static bool comes_first(const struct host_program *host)
{
    for (size_t i = 0; i < host->needed_count; i++)
        if (begins(host->needed[i], "libasan.so") || begins(host->needed[i], "libclang_rt.asan"))
            return true;
    return false;
}

bool exec_program_links(struct exec_program *program, struct cubin_bytes image, uint16_t own_machine,
                        struct status *status)
{
    struct host_program host;
    struct status unread = {0};
    if (!elf_is(image))
        return true;
    if (!host_program_open(&host, image, program->path, &unread))
        return true; /* the system reports the error */
    bool ok = host.wide && host.machine == own_machine;
    if (!ok)
        status_fail(status, STATUS_UNSUPPORTED, "%.300s: it is %s; only programs for this processor can be simulated",
                    program->path, host.wide ? "a program for another processor" : "a 32-bit program");
    ok = ok && check_closed(program, &host, status) && check_runtime(program, &host, status) &&
         check_static(program, &host, status);
    program->preload = program->preload && !comes_first(&host);
    host_program_close(&host);
    return ok;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* The loader ignores LD_LIBRARY_PATH in programs that run with more rights than their user. */
static bool check_rights(const struct exec_program *program, struct status *status)
{
    struct stat info;
    if (stat(program->path, &info) != 0)
        return true;
    bool other_user = (info.st_mode & S_ISUID) && info.st_uid != getuid();
    bool other_group = (info.st_mode & S_ISGID) && info.st_gid != getgid();
    bool capabilities = geteuid() != 0 && getxattr(program->path, "security.capability", NULL, 0) > 0;
    if (!other_user && !other_group && !capabilities)
        return true;
    return status_fail(status, STATUS_UNSUPPORTED,
                       "%.200s: it runs with rights of its own (set-user-ID, set-group-ID or capabilities), and the "
                       "system then ignores LD_LIBRARY_PATH; run a copy without them",
                       program->path);
}

static uint16_t own_machine(void)
{
    uint8_t header[ELF_HEADER_SIZE] = {0};
    FILE *self = fopen("/proc/self/exe", "rbe");
    size_t size = self ? fread(header, 1, sizeof header, self) : 0;
    if (self)
        fclose(self);
    return elf_machine((struct cubin_bytes){header, size});
}

bool exec_program_check(struct exec_program *program, const struct config *config, struct status *status)
{
    struct file_bytes file;
    struct status unread = {0};
    if (!check_rights(program, status))
        return false;
    if (!file_read(program->path, PROGRAM_LIMIT, &file, &unread))
        return true; /* a program may be executable and not readable */
    struct cubin_bytes image = {file.data, file.size};
    bool ok = exec_program_links(program, image, own_machine(), status) &&
              (!elf_is(image) || exec_images_check(program->path, config, exec_program_compiler(), status));
    file_free(&file);
    return ok;
}

/* ---- compilers of PTX -------------------------------------------------------------------------------------------- */

static bool in_folder(const char *folder, size_t length, const char *rest, int mode)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%.*s%s", (int)length, folder, rest);
    return length > 0 && n > 0 && (size_t)n < sizeof path && access(path, mode) == 0;
}

static bool in_toolkit(const char *folder)
{
    return folder && (in_folder(folder, strlen(folder), "/lib64/libnvJitLink.so.13", R_OK) ||
                      in_folder(folder, strlen(folder), "/lib/libnvJitLink.so.13", R_OK) ||
                      in_folder(folder, strlen(folder), "/targets/x86_64-linux/lib/libnvJitLink.so.13", R_OK) ||
                      in_folder(folder, strlen(folder), "/bin/ptxas", X_OK));
}

bool exec_program_compiler(void)
{
    const char *folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (in_toolkit(folders[i]))
            return true;
    for (const char *path = getenv("PATH"); path && *path; path += *path == ':') {
        size_t length = strcspn(path, ":");
        if (in_folder(path, length, "/ptxas", X_OK))
            return true;
        path += length;
    }
    void *library = dlopen("libnvJitLink.so.13", RTLD_LAZY | RTLD_LOCAL);
    if (library)
        dlclose(library);
    return library != NULL;
}
