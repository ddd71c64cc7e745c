#!/usr/bin/env python3
"""PyTorch: operations whose results have to be those of the CPU, and others that have to raise an exception, since they
call a closed library."""
import sys
import warnings

import torch
from torch import distributed
from torch.nn import functional

SINGLE, DOUBLE, HALF, BFLOAT = torch.float32, torch.float64, torch.float16, torch.bfloat16
RELATIVE = {SINGLE: 1e-5, DOUBLE: 1e-13, HALF: 5e-3, BFLOAT: 2e-2}


def lstm(x):
    torch.manual_seed(1)
    return torch.nn.LSTM(8, 8).to(x.device)(x)[0].detach()


def recurrent(kind, lengths=None, **options):
    """A function: outputs, last states and all gradients of a network."""
    def run(x):
        torch.manual_seed(1)
        network = getattr(torch.nn, kind)(8, 12, **options).to(x.dtype).to(x.device)
        x = x.requires_grad_()
        if lengths:
            packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
            y, states = network(packed)
            y = torch.nn.utils.rnn.pad_packed_sequence(y)[0]
        else:
            y, states = network(x)
        states = states if isinstance(states, tuple) else (states,)
        loss = y.square().sum() + sum(state.sum() for state in states)
        found = [y, *states, *torch.autograd.grad(loss, [x, *network.parameters()])]
        return torch.cat([tensor.detach().flatten() for tensor in found])
    return run


def repeated_dropout(x):
    """Whether dropout between layers repeats itself with its seed, and only then. On the CPU: the right answers."""
    if not x.is_cuda:
        return torch.tensor([1.0, 0.0])
    network = torch.nn.LSTM(8, 40, num_layers=2, dropout=0.5).cuda()
    outputs = []
    for seed in 1, 1, 2:
        torch.manual_seed(seed)
        outputs.append(network(x)[0])
    return torch.tensor([float(torch.equal(outputs[0], other)) for other in outputs[1:]])


def attention(q, k, v):
    return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def gradients(x, w):
    x, w = x.requires_grad_(), w.requires_grad_()
    both = torch.autograd.grad(functional.conv2d(x, w, stride=2, padding=1).square().sum(), [x, w])
    return torch.cat([gradient.flatten() for gradient in both])


def batch_norm(x):
    return functional.batch_norm(x, None, None, training=True)


def triangular(a, b):
    return torch.linalg.solve_triangular(a + 8 * torch.eye(len(a), device=a.device), b, upper=True)


def reduced(x):
    """All ranks' sum: there is one."""
    if not distributed.is_initialized():
        distributed.init_process_group("nccl", store=distributed.HashStore(), rank=0, world_size=1)
    if x.is_cuda:
        distributed.all_reduce(x)
    return x


def positive(a):
    return torch.linalg.cholesky(a @ a.T + torch.eye(8, device=a.device))


def eigenvalues(a):
    """Sums of powers, which do not depend on the order."""
    values = torch.linalg.eigvals(a)
    return torch.stack([(values ** power).sum().real for power in (1, 2, 3)])


def diagonalized(a):
    values, vectors = torch.linalg.eig(a)
    return (vectors * values.unsqueeze(-2) @ torch.linalg.inv(vectors)).real


def grouped(a, b):
    """Rows 0 to 8 times the first matrix, 8 to 24 times the second, and so on."""
    ends = torch.tensor([8, 24, 32], dtype=torch.int32, device=a.device)
    if a.is_cuda and hasattr(torch, "_grouped_mm"):
        return torch._grouped_mm(a, b, offs=ends)
    return torch.cat([a[:8] @ b[0], a[8:24] @ b[1], a[24:] @ b[2]])


def sparse(a, b):
    return torch.sparse.mm((a * (a > 0)).to_sparse_csr(), b)


def sparse_both(a, b):
    return torch.sparse.mm((a * (a > 0)).to_sparse(), (b * (b > 0)).to_sparse()).to_dense()


def grid(x, places):
    x, places = x.requires_grad_(), places.requires_grad_()
    y = functional.grid_sample(x, places, align_corners=True)
    found = [y, *torch.autograd.grad(y.square().sum(), [x, places])]
    return torch.cat([tensor.detach().flatten() for tensor in found])


def affine(theta):
    theta = theta.requires_grad_()
    y = functional.affine_grid(theta, (2, 3, 5, 6), align_corners=True)
    return torch.cat([y.detach().flatten(), torch.autograd.grad(y.square().sum(), theta)[0].flatten()])


def ctc(x):
    """Losses and their gradient. PyTorch 2.5 to 2.7 give cuDNN lengths of the host as if they were on the device."""
    x = x.requires_grad_()
    labels = torch.tensor([1, 2, 2, 3, 1], dtype=torch.int32)
    inputs = torch.tensor([12, 12], dtype=torch.int32, device=x.device)
    lengths = torch.tensor([3, 2], dtype=torch.int32, device=x.device)
    loss = functional.ctc_loss(x.log_softmax(2), labels, inputs, lengths, reduction="none")
    return torch.cat([loss.detach(), torch.autograd.grad(loss.square().sum(), x)[0].flatten()])


def closed_attention(q, k, v):
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.CUDNN_ATTENTION):
        return attention(q.half(), k.half(), v.half())


HEADS = [(1, 2, 32, 32)] * 3
# name, function, shapes, type
RIGHT = [
    ("matmul", torch.matmul, [(70, 50), (50, 40)], SINGLE),
    ("matmul", torch.matmul, [(70, 50), (50, 40)], DOUBLE),
    ("matmul", torch.matmul, [(70, 50), (50, 40)], HALF),
    ("matmul", torch.matmul, [(70, 50), (50, 40)], BFLOAT),
    ("bmm", torch.bmm, [(3, 20, 30), (3, 30, 10)], SINGLE),
    ("linear", functional.linear, [(70, 50), (40, 50), (40,)], SINGLE),
    ("mv", torch.mv, [(70, 50), (50,)], SINGLE),
    ("mv", torch.mv, [(70, 50), (50,)], DOUBLE),
    ("dot", torch.dot, [(700,), (700,)], SINGLE),
    ("dot", torch.dot, [(700,), (700,)], HALF),
    ("norm", torch.linalg.norm, [(700,)], SINGLE),
    ("softmax", lambda x: torch.softmax(x, 1), [(70, 50)], SINGLE),
    ("layer_norm", lambda x: functional.layer_norm(x, (50,)), [(70, 50)], SINGLE),
    ("sort", lambda x: torch.sort(x)[0], [(700,)], SINGLE),
    ("cumsum", lambda x: torch.cumsum(x, 0), [(700,)], SINGLE),
    ("attention", attention, HEADS, SINGLE),
    ("attention", attention, HEADS, HALF),
    ("conv2d", functional.conv2d, [(1, 3, 8, 8), (4, 3, 3, 3)], SINGLE),
    ("conv2d", functional.conv2d, [(1, 3, 8, 8), (4, 3, 3, 3)], HALF),
    ("conv_transpose2d", functional.conv_transpose2d, [(1, 3, 8, 8), (3, 4, 3, 3)], SINGLE),
    ("gradients of conv2d", gradients, [(2, 3, 8, 8), (4, 3, 3, 3)], DOUBLE),
    ("batch_norm", batch_norm, [(4, 3, 8, 8)], SINGLE),
    ("RNN", recurrent("RNN", nonlinearity="relu"), [(5, 3, 8)], SINGLE),
    ("LSTM", recurrent("LSTM", num_layers=2, bidirectional=True), [(5, 3, 8)], SINGLE),
    ("LSTM", recurrent("LSTM", num_layers=2), [(5, 3, 8)], HALF),
    ("LSTM with a projection", recurrent("LSTM", num_layers=2, proj_size=5, bias=False), [(5, 3, 8)], DOUBLE),
    ("LSTM of packed sequences", recurrent("LSTM", [2, 5, 3], bidirectional=True), [(5, 3, 8)], DOUBLE),
    ("GRU", recurrent("GRU", num_layers=2, batch_first=True), [(3, 5, 8)], SINGLE),
    ("GRU of packed sequences", recurrent("GRU", [5, 1, 4], num_layers=3), [(5, 3, 8)], SINGLE),
    ("GRU with dropout of 1", recurrent("GRU", num_layers=2, dropout=1.0), [(5, 3, 8)], SINGLE),
    ("dropout of an LSTM, repeated", repeated_dropout, [(5, 3, 8)], SINGLE),
    ("grid_sample", grid, [(2, 3, 7, 5), (2, 6, 8, 2)], SINGLE),
    ("grid_sample", grid, [(2, 20, 17, 18), (2, 6, 8, 2)], DOUBLE),
    ("affine_grid", affine, [(2, 2, 3)], SINGLE),
    ("ctc_loss", ctc, [(12, 2, 6)], SINGLE),
    ("solve_triangular", triangular, [(20, 20), (20, 3)], DOUBLE),
    ("solve", torch.linalg.solve, [(8, 8), (8, 2)], DOUBLE),
    ("cholesky", positive, [(8, 8)], SINGLE),
    ("inv of a batch", lambda a: torch.linalg.inv(a + 8 * torch.eye(6, device=a.device)), [(3, 6, 6)], SINGLE),
    ("qr", lambda a: torch.linalg.qr(a)[1], [(12, 8)], SINGLE),
    ("svdvals", torch.linalg.svdvals, [(8, 12)], SINGLE),
    ("svdvals", torch.linalg.svdvals, [(50, 40)], DOUBLE),
    ("eigvalsh of a batch", torch.linalg.eigvalsh, [(3, 9, 9)], SINGLE),
    ("pinv", torch.linalg.pinv, [(9, 5)], DOUBLE),
    ("lstsq", lambda a, b: torch.linalg.lstsq(a, b)[0], [(9, 5), (9, 2)], SINGLE),
    ("ldl_factor", lambda a: torch.linalg.ldl_factor(a + a.T)[0], [(9, 9)], DOUBLE),
    ("sparse.mm", sparse, [(8, 8), (8, 8)], SINGLE),
    ("sparse.mm", sparse, [(8, 8), (8, 8)], DOUBLE),
    ("sparse times sparse", sparse_both, [(8, 8), (8, 8)], DOUBLE),
    ("all_reduce", reduced, [(50,)], SINGLE),
    ("rfft", lambda x: torch.fft.rfft(x).abs(), [(64,)], SINGLE),
    ("irfft2 of rfft2", lambda x: torch.fft.irfft2(torch.fft.rfft2(x), s=x.shape), [(30, 35)], DOUBLE),
    ("grouped_mm", grouped, [(32, 48), (3, 48, 64)], BFLOAT),
    ("eigvals", eigenvalues, [(7, 7)], DOUBLE),
    ("eig, multiplied out", diagonalized, [(3, 8, 8)], DOUBLE),
    ("eig, multiplied out", diagonalized, [(9, 9)], SINGLE),
]
WITHOUT_CUDNN = [
    ("conv2d", functional.conv2d, [(1, 3, 8, 8), (4, 3, 3, 3)], SINGLE),
    ("batch_norm", batch_norm, [(4, 3, 8, 8)], SINGLE),
    ("lstm", lstm, [(5, 2, 8)], SINGLE),
    ("attention", attention, HEADS, HALF),
]
CLOSED = [
    ("attention (cuDNN)", closed_attention, HEADS),
]


def operands(shapes, kind):
    return [torch.randn(*shape, dtype=torch.float64).to(kind) for shape in shapes]


def right(name, function, shapes, kind):
    host = operands(shapes, kind)
    found = function(*[x.cuda() for x in host]).cpu().double()
    expected = function(*[x.double() if kind in (HALF, BFLOAT) else x for x in host]).double()
    error = float((found - expected).abs().max() / expected.abs().max())
    good = error <= RELATIVE[kind]
    cudnn = "" if torch.backends.cudnn.enabled else " without cuDNN"
    print(f"{'right' if good else 'WRONG':6} {name} of {str(kind)[6:]}{cudnn}: {error:.1e}")
    return good


def refused(name, function, shapes):
    try:
        function(*[x.cuda() for x in operands(shapes, SINGLE)]).cpu()
    except RuntimeError as error:
        print(f"raises {name}: {str(error).splitlines()[0][:80]}")
        return True
    print(f"RUNS   {name}: no exception")
    return False


def main():
    warnings.filterwarnings("ignore")
    torch.manual_seed(0)
    results = [right(*case) for case in RIGHT]
    torch.backends.cudnn.enabled = False
    results += [right(*case) for case in WITHOUT_CUDNN]
    torch.backends.cudnn.enabled = True
    results += [refused(*case) for case in CLOSED]
    print(f"{sum(results)} of {len(results)} operations as documented")
    sys.exit(0 if all(results) else "not as docs/python.md says")


main()
