"""Blocks of subcore.simulate in a CUDA program of ctypes alone: simulate_program.py CASE CUBIN. The cubin is that of
examples/vecadd.cu. Prints the findings of the case as JSON."""
import ctypes
import json
import multiprocessing
import os
import sys
import threading

import subcore

COUNT = 1000


class Adder:
    """The kernel, loaded, with its vectors."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.context, module, self.function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self.call("cuCtxSetCurrent", self.context)
        self.call("cuModuleLoad", ctypes.byref(module), sys.argv[2].encode())
        self.call("cuModuleGetFunction", ctypes.byref(self.function), module, b"vecadd")
        self.held = [self.allocate() for _ in range(3)] + [ctypes.c_int(COUNT)]

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        assert code == 0, f"{name} returned {code}"

    def allocate(self):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(4 * COUNT))
        self.call("cuMemsetD32_v2", address, 0, ctypes.c_size_t(COUNT))
        return address

    def launch(self, ctas=4):
        """Launches, and does not wait."""
        parameters = (ctypes.c_void_p * len(self.held))(*[ctypes.addressof(value) for value in self.held])
        self.call("cuCtxSetCurrent", self.context)
        self.call("cuLaunchKernel", self.function, ctas, 1, 1, 256, 1, 1, 0, None, parameters, None)


def shapes(report):
    """Of each launch its CTAs, negative where it was not timed."""
    return [kernel["launch"]["grid"][0] * (1 if kernel["detailed"] else -1) for kernel in report.kernels]


def message(function, *arguments, **named):
    try:
        function(*arguments, **named)
    except Exception as error:  # pylint: disable=broad-except
        return f"{type(error).__name__}: {error}"
    return "no error"


def case_whole():
    """One launch before a block, two in it, one after it."""
    adder = Adder()
    adder.launch(1)
    with subcore.simulate() as report:
        adder.launch(2)
        adder.launch(3)
    adder.launch(4)
    return {"shapes": shapes(report), "launches": report.launches, "kernels": report.kernels, "text": repr(report)}


def case_choices():
    adder = Adder()
    adder.launch(1)
    with subcore.simulate(detailed=True) as outer:
        adder.launch(2)
        with subcore.simulate(detailed=False) as executed:
            adder.launch(3)
            with subcore.simulate(detailed=None) as indifferent:
                adder.launch(4)
        adder.launch(5)
    with subcore.simulate(detailed=None) as alone:
        adder.launch(6)
    return [shapes(report) for report in (outer, executed, indifferent, alone)]


def case_exception():
    adder, reports = Adder(), []

    def fail():
        with subcore.simulate() as report:
            reports.append(report)
            adder.launch(2)
            raise KeyError("the program's own")

    return {"message": message(fail), "shapes": shapes(reports[0])}


def case_misuse():
    adder, found = Adder(), {}
    simulation = subcore.simulate()
    with simulation as report:
        adder.launch(2)
        found["early"] = message(lambda: report.kernels)
        found["text"] = repr(report)
        found["twice"] = message(simulation.__enter__)
    with simulation as again:
        adder.launch(3)
    found["again"] = shapes(report) + shapes(again)
    found["detailed"] = message(subcore.simulate, detailed="yes")
    found["parentheses"] = message(lambda: subcore.simulate(case_misuse))

    def end_in_stream(_):
        block = subcore.simulate()
        block.__enter__()
        found["host"] = message(block.__exit__)

    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(end_in_stream)
    adder.call("cuLaunchHostFunc", None, function, None)
    adder.call("cuCtxSynchronize")

    def generator():
        yield 1

    found["generator"] = message(subcore.simulate(), generator)
    return found


def case_empty():
    with subcore.simulate() as before:
        pass
    Adder()
    with subcore.simulate() as after:
        pass
    return [before.launches, before.kernels, after.launches, after.kernels]


def case_decorated():
    adder = Adder()

    @subcore.simulate()
    def launch(ctas, fails=False):
        """Launches once."""
        adder.launch(ctas)
        if fails:
            raise KeyError(ctas)
        return ctas + 1

    found = {"before": launch.report, "name": launch.__name__, "doc": launch.__doc__, "answer": launch(2)}
    found["first"] = shapes(launch.report)
    found["error"] = message(launch, 3, fails=True)
    found["second"] = shapes(launch.report)
    return found


def case_threads():
    """A thread launches in another one's block, and begins its own."""
    adder, own = Adder(), []

    def work():
        adder.launch(3)
        with subcore.simulate(detailed=False) as report:
            adder.launch(4)
        own.append(report)

    with subcore.simulate() as report:
        adder.launch(2)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        adder.launch(5)
    return [shapes(report), shapes(own[0])]


def in_child(queue):
    adder = Adder()
    with subcore.simulate() as report:
        adder.launch(7)
    queue.put(shapes(report))


def case_spawned():
    adder, context = Adder(), multiprocessing.get_context("spawn")
    queue = context.Queue()
    with subcore.simulate() as report:
        adder.launch(2)
        child = context.Process(target=in_child, args=(queue,))
        child.start()
        of_child = queue.get(timeout=60)
        child.join()
    return [shapes(report), of_child]


def forked(work):
    """Calls `work` in a child, and returns its answer."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, json.dumps(work()).encode())
        os._exit(0)  # pylint: disable=protected-access
    os.close(write)
    assert os.waitpid(child, 0)[1] == 0
    with os.fdopen(read, "rb") as answer:
        return json.loads(answer.read())


def case_forked_before():
    """The block begins before the fork, and both processes begin to use CUDA behind it."""
    simulation = subcore.simulate()
    report = simulation.__enter__()

    def work(ctas):
        Adder().launch(ctas)
        simulation.__exit__(None, None, None)
        return shapes(report)

    return [forked(lambda: work(7)), work(2)]


def case_forked_after():
    adder = Adder()
    simulation = subcore.simulate()
    report = simulation.__enter__()
    adder.launch(2)

    def work():
        refused = message(subcore.simulate().__enter__)
        simulation.__exit__(None, None, None)
        return [refused, report.launches]

    found = forked(work)
    simulation.__exit__(None, None, None)
    return [*found, shapes(report)]


def case_gpu():
    """`gpu` is that of the environment."""
    with subcore.simulate(gpu=os.environ["ASKED"]) as report:
        Adder().launch(2)
    return shapes(report)


def case_frame():
    adder = Adder()
    with subcore.simulate() as report:
        adder.launch(2)
        adder.launch(3)
    try:
        frame = report.frame()
    except ImportError as error:
        return {"missing": str(error)}
    return {"cycles": list(frame["cycles.elapsed"]), "kernels": list(frame["kernel"]),
            "expected": [kernel["cycles"]["elapsed"] for kernel in report.kernels]}


if __name__ == "__main__":
    print(json.dumps(globals()["case_" + sys.argv[1]]()))
