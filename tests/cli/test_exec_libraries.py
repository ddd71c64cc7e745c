#!/usr/bin/env python3
"""The surroundings of a program in `subcore exec`: variables, GPU files, the order in which libraries are found."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

from exec_harness import CUDA, FAKE, gives, run_exec, variables
from harness import SUBCORE, main

FOREIGN = os.environ["SUBCORE_FOREIGN"]
FOREIGN_TWELVE = os.environ["SUBCORE_FOREIGN_TWELVE"]
RUNTIME_VERSION = f"call:{FOREIGN}:runtime_version"
LIBRARIES = ["libcuda.so.1", "libcudart.so.13", "libcudart.so.12", "libcublas.so.13", "libcublas.so.12",
             "libcudnn.so.9", "libcufft.so.12", "libcufft.so.11", "libcusparse.so.12", "libcurand.so.10",
             "libnccl.so.2", "libcupti.so.13", "libcupti.so.12"]
ASKER, CLOSED, COMPILER = (os.environ["SUBCORE_" + kind] for kind in ("ASKER", "CLOSED", "COMPILER"))
SANITIZED = os.environ["SUBCORE_SANITIZED"]  # such libraries do not load into every program


def test_options_become_variables():
    assert variables() == {"GPU": "rtx-a6000"}
    assert variables("-g", "h200", "-f", "-j", "3", "-q") == {
        "GPU": "h200", "MODE": "functional", "THREADS": "3", "QUIET": "1"}
    assert variables("--set", "core.rfc=false", "--set", "gpu.clock=1000")["SET"] == "core.rfc=false\ngpu.clock=1000"
    detailed = variables("--detailed", "a:0", "--detailed", "b*")
    assert detailed == {"GPU": "rtx-a6000", "MODE": "functional", "DETAILED": "a:0\nb*"}


def test_a_trace_does_not_go_to_standard_output():
    gives(2, "--record", "-", FAKE, err="cannot be written to standard output: name a file")


def test_a_trace_is_asked_for_by_an_absolute_path():
    with tempfile.TemporaryDirectory() as folder:
        words = ["--record", "x.trace", "--only", "a:0", "--only", "b", FAKE]
        out = run_exec(*words, "env:SUBCORE_TRACE", "env:SUBCORE_MODE", "env:SUBCORE_TRACE_ONLY", cwd=folder).stdout
        path = os.path.realpath(folder) + "/x.trace.%p"
        assert out.rstrip() == f"SUBCORE_TRACE={path}\nSUBCORE_MODE=functional\nSUBCORE_TRACE_ONLY=a:0\nb", out


def test_variables_of_the_caller_hold_where_no_option_does():
    env = {"SUBCORE_GPU": "a100", "SUBCORE_MODE": "functional", "SUBCORE_THREADS": "2"}
    assert variables(env=env) == {"GPU": "a100", "MODE": "functional", "THREADS": "2"}
    assert variables("-g", "h200", env=env)["GPU"] == "h200"
    gives(2, "true", env={"SUBCORE_GPU": "nothing"}, err="no GPU named 'nothing'")


def test_gpu_files_are_found_from_any_folder():
    with tempfile.TemporaryDirectory() as folder:
        text = subprocess.run([SUBCORE, "config", "h200"], capture_output=True, text=True, check=True).stdout
        pathlib.Path(folder, "my.toml").write_text(text, encoding="utf-8")
        out = run_exec("-g", "./my.toml", FAKE, "env:SUBCORE_GPU", cwd=folder).stdout
        assert out == f"SUBCORE_GPU={os.path.realpath(folder)}/my.toml\n", out


def test_our_libraries_come_first():
    lib = os.path.join(os.path.dirname(os.path.realpath(SUBCORE)), "lib")
    assert gives(0, FAKE, "env:LD_LIBRARY_PATH", env={"LD_LIBRARY_PATH": ""}).stdout == f"LD_LIBRARY_PATH={lib}\n"
    out = gives(0, FAKE, "env:LD_LIBRARY_PATH", env={"LD_LIBRARY_PATH": "/a:/b"}).stdout
    assert out == f"LD_LIBRARY_PATH={lib}:/a:/b\n"


def preloaded(env=None):
    return gives(0, FAKE, "env:LD_PRELOAD", env=env).stdout.removeprefix("LD_PRELOAD=").strip()


def test_our_libraries_are_loaded_before_those_of_the_caller():
    lib = os.path.join(os.path.dirname(os.path.realpath(SUBCORE)), "lib")
    ours = ":".join(f"{lib}/{name}" for name in LIBRARIES)
    if not SANITIZED:
        assert preloaded(env={"LD_PRELOAD": ""}) == ours
        assert preloaded(env={"LD_PRELOAD": "libm.so.6"}) == ours + ":libm.so.6"


def test_our_runtime_wins_over_that_of_a_library_with_a_path_of_its_own():
    elf = subprocess.run(["readelf", "-d", FOREIGN], capture_output=True, text=True, check=False).stdout
    assert not elf or ("(RPATH)" in elf and "(RUNPATH)" not in elf), elf
    env = {**os.environ, "LD_LIBRARY_PATH": os.path.join(os.path.dirname(SUBCORE), "lib")}
    alone = subprocess.run([FAKE, RUNTIME_VERSION], capture_output=True, text=True, check=True, env=env)
    assert alone.stdout == "runtime_version 1\n", alone  # LD_LIBRARY_PATH alone does not help
    if not SANITIZED:
        gives(0, FAKE, RUNTIME_VERSION, out="runtime_version 13000\n")
        gives(0, "sh", "-c", f"{FAKE} {RUNTIME_VERSION}", out="runtime_version 13000\n")


def test_the_runtime_of_cuda_12_wins_in_the_same_way():
    call = f"call:{FOREIGN_TWELVE}:runtime_version"
    env = {**os.environ, "LD_LIBRARY_PATH": os.path.join(os.path.dirname(SUBCORE), "lib")}
    alone = subprocess.run([FAKE, call], capture_output=True, text=True, check=True, env=env)
    assert alone.stdout == "runtime_version 1\n", alone
    if not SANITIZED:
        gives(0, FAKE, call, RUNTIME_VERSION, out="runtime_version 12090\nruntime_version 13000\n")


WORKERS = """
import ctypes, multiprocessing, sys
def version():
    return ctypes.CDLL(sys.argv[1]).runtime_version()
if __name__ == "__main__":
    for way in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(way).Pool(1) as pool:
            print(way, version(), pool.apply(version))
"""


def test_our_runtime_wins_in_the_workers_of_a_python_program_too():
    if SANITIZED:
        return
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "workers.py").write_text(WORKERS, encoding="utf-8")
        out = "".join(f"{way} 13000 13000\n" for way in ("fork", "spawn", "forkserver"))
        gives(0, sys.executable, "-m", "workers", FOREIGN, out=out, cwd=folder)


def test_a_profiler_gets_our_cupti_where_nvidias_library_would_end_the_program():
    env = {**os.environ, "LD_LIBRARY_PATH": os.path.join(os.path.dirname(SUBCORE), "lib")}
    alone = subprocess.run([FAKE, f"call:{FOREIGN}:cupti"], capture_output=True, text=True, check=False, env=env)
    assert alone.returncode == -signal.SIGABRT, alone
    if not SANITIZED:
        gives(0, FAKE, f"call:{FOREIGN}:cupti", out="cupti 0\n")


def test_our_libraries_are_silent_in_programs_that_do_not_call_them():
    wrong = {"SUBCORE_MODE": "neither"}  # the start of the driver complains
    gives(9, CUDA, env=wrong, err="SUBCORE_MODE", out="cuInit: CUDA_ERROR_NO_DEVICE\n")
    script = "cat /proc/self/maps | grep -q libcuda.so.1 && echo loaded; ls /proc/self/task | wc -l"
    gives(0, "sh", "-c", script, env=wrong, out="1\n" if SANITIZED else "loaded\n1\n")


def test_a_library_with_the_runtime_inside_is_named_once_with_what_to_do():
    words = [f"call:{library}:ask" for library in (ASKER, COMPILER, ASKER, CLOSED)]
    err = gives(0, "-q", FAKE, *words, out=4 * "ask 500\n", err="subcore: ").stderr.splitlines()
    asks = "it asks NVIDIA's own driver for functions that no document describes, and there are none here: "
    assert len(err) == 2, err
    assert err[0].startswith(f"subcore: {ASKER}: {asks}its calls will fail if the CUDA runtime is linked into it"), err
    assert "-cudart shared" in err[0], err
    assert err[1].startswith(f"subcore: {CLOSED}: {asks}it is one of NVIDIA's closed libraries"), err


def test_libraries_are_found_where_they_are_installed():
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(os.path.realpath(folder), "bin", "subcore")
        place = os.path.normpath(os.path.join(os.path.dirname(program), os.environ["SUBCORE_LIBRARIES"]))
        os.mkdir(os.path.dirname(program))
        shutil.copy(SUBCORE, program)
        run = [program, "exec", "-q", FAKE, "env:LD_LIBRARY_PATH"]
        variables_here = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
        result = subprocess.run(run, capture_output=True, text=True, check=False, env=variables_here)
        missing = "the libraries of CUDA programs are neither in"
        assert result.returncode == 2 and missing in result.stderr, result
        os.makedirs(place)
        for name in LIBRARIES:
            os.symlink(os.path.join(os.path.dirname(os.path.realpath(SUBCORE)), "lib", name), os.path.join(place, name))
        result = subprocess.run(run, capture_output=True, text=True, check=False, env=variables_here)
        found = result.stdout.removeprefix("LD_LIBRARY_PATH=").strip()
        assert os.path.realpath(found) == place, (result, place)


def test_a_folder_with_spaces_does_not_keep_our_libraries_from_being_loaded():
    with tempfile.TemporaryDirectory(prefix="with spaces ") as folder:
        program = os.path.join(folder, "subcore")
        shutil.copy(SUBCORE, program)
        os.symlink(os.path.join(os.path.dirname(os.path.realpath(SUBCORE)), "lib"), os.path.join(folder, "lib"))
        result = subprocess.run([program, "exec", "-q", FAKE, RUNTIME_VERSION], capture_output=True, text=True,
                                check=False, env={"SUBCORE_ROOT": os.environ["SUBCORE_ROOT"]})
        assert result.stderr == "" and (SANITIZED or result.stdout == "runtime_version 13000\n"), result


main(globals())
