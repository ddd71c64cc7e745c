#!/usr/bin/env python3
"""PyTorch: a small GPT trains on its own source text, on the GPU and on the CPU, and the losses of both agree.

    subcore exec --functional --gpu rtx-a6000 python3 torch_gpt.py
    subcore exec --gpu rtx-a6000 python3 torch_gpt.py --steps 1 --layers 1 --width 128 --heads 2

Needs torch. Matrix products are FP32, which PyTorch asks of cuBLAS by default.
"""
import argparse
import copy
import sys

import torch
from torch import nn
from torch.nn import functional

BYTES = 256


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query_key_value, self.joined = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.query_key_value(self.first(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.joined(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(functional.gelu(self.wide(self.second(x))))


class Gpt(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.bytes, self.places = nn.Embedding(BYTES, options.width), nn.Embedding(options.length, options.width)
        self.blocks = nn.Sequential(*[Block(options.width, options.heads) for _ in range(options.layers)])
        self.last, self.head = nn.LayerNorm(options.width), nn.Linear(options.width, BYTES, bias=False)

    def forward(self, text, following):
        x = self.bytes(text) + self.places(torch.arange(text.shape[1], device=text.device))
        scores = self.head(self.last(self.blocks(x)))
        return functional.cross_entropy(scores.view(-1, BYTES), following.reshape(-1))


def batches(options):
    with open(__file__, "rb") as file:
        text = torch.tensor(list(file.read()))
    random = torch.Generator().manual_seed(5)
    for _ in range(options.steps):
        starts = torch.randint(len(text) - options.length - 1, (options.batch,), generator=random)
        yield torch.stack([text[start:start + options.length + 1] for start in starts])


def train(model, options, device):
    model = model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    losses = []
    for text in batches(options):
        text = text.to(device)
        loss = model(text[:, :-1], text[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if device == "cuda":
            print(f"step {len(losses) - 1:2}: loss {losses[-1]:.6f}", flush=True)
    return losses


def main():
    parser = argparse.ArgumentParser()
    for name, value in (("steps", 20), ("layers", 6), ("width", 384), ("heads", 6), ("length", 32), ("batch", 2)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--tolerance", type=float, default=1e-4, help="of a loss, relative")
    options = parser.parse_args()
    torch.manual_seed(6)
    model = Gpt(options)
    print(f"{torch.cuda.get_device_name()}, {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters")
    on_cpu = train(copy.deepcopy(model), options, "cpu")
    on_gpu = train(model, options, "cuda")
    worst = max(abs(a - b) / b for a, b in zip(on_gpu, on_cpu))
    print(f"losses of GPU and CPU differ by {worst:.1e} at most")
    sys.exit(0 if worst <= options.tolerance else "wrong losses")


main()
