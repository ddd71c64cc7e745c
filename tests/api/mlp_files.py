#!/usr/bin/env python3
"""The perceptron of examples/api reads images and labels in the form of MNIST's files, on a GTX 1050 Ti.

    mlp_files.py MLP FOLDER_OF_THE_CUBINS"""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

BATCHES, BATCH, PIXELS = 3, 32, 784


def digits():
    """Returns pixels and labels: a pattern of its own for each class, with noise."""
    draw = random.Random(1)
    patterns = [[draw.random() < 0.2 for _ in range(PIXELS)] for _ in range(10)]
    labels = bytes(draw.randrange(10) for _ in range(BATCHES * BATCH))
    return bytes(180 * patterns[label][i] + draw.randrange(76) for label in labels for i in range(PIXELS)), labels


def run(folder, pixels, labels, steps, *more):
    images, numbers = os.path.join(folder, "images"), os.path.join(folder, "labels")
    with open(images, "wb") as file:
        file.write(struct.pack(">IIII", 0x803, BATCHES * BATCH, 28, 28) + pixels)
    with open(numbers, "wb") as file:
        file.write(struct.pack(">II", 0x801, BATCHES * BATCH) + labels)
    return subprocess.run([sys.argv[1], "--gpu", "gtx-1050-ti", "--steps", str(steps), "--images", images, "--labels",
                           numbers, *more, sys.argv[2]], capture_output=True, text=True, check=False)


def right(done):
    assert done.returncode == 0, done.stderr + done.stdout
    return [int(n) for n in re.findall(r"(\d+) of 32 right", done.stdout)]


def main():
    pixels, labels = digits()
    with tempfile.TemporaryDirectory() as folder:
        before, after = right(run(folder, pixels, labels, 9, "--functional"))
        assert before < 12 and after > 24, (before, after)
        timed = run(folder, pixels, labels, 1)
        right(timed)
        layers = re.findall(r"^(layer [12]): .* (\d+) +([\d.]+) +[\d.]+$", timed.stdout, re.M)
        assert [layer for layer, _, _ in layers[:2]] == ["layer 1", "layer 2"], timed.stdout
        assert int(layers[0][1]) > 4 * int(layers[1][1]) > 0 and float(layers[0][2]) > 0, layers
        other = right(run(folder, bytes(len(pixels)), labels, 1, "--functional"))
        assert other != [before, after], other     # the pixels of the file count
        for wrong, text in ((pixels[:-1], "ends before its last item"), (pixels, "a label that is no digit")):
            done = run(folder, wrong, labels[:-1] + (b"\x0a" if wrong is pixels else labels[-1:]), 1, "--functional")
            assert done.returncode == 1 and text in done.stderr, done.stderr
    print("1 passed, 0 failed")


main()
