"""Files of recorded answers, and their comparison.

A file begins with '#' lines and the line "answers". Then each kernel has a line

    = STATUS MASK BYTES DIGEST INSTRUCTION

and so many bytes, with a line feed behind them. STATUS is 0, or the error of the driver's API: 715 is an illegal
instruction. Bit n of MASK says that the instruction wrote word n of the result: registers R40 to R47, P4, P5. DIGEST
(FNV-1a, 64 bits) is that of all bytes; a file that is packed has none of those that are known. The bytes are 32 lanes
of each written word, row by row, little-endian."""
import collections
import pathlib
import struct
import subprocess
import sys

LANES, ILLEGAL = 32, 715
Answer = collections.namedtuple("Answer", "status mask digest data")
NAMES = [f"R{40 + n}" for n in range(8)] + ["P4", "P5"]


def bytes_of(path):
    if str(path).endswith(".zst"):
        return subprocess.run(["zstd", "-dcq", path], check=True, stdout=subprocess.PIPE).stdout
    return pathlib.Path(path).read_bytes()


def read(path):
    """(head, answers by instruction), in the order of the file."""
    data, found, at = bytes_of(path), {}, 0
    head, mark, _ = data.partition(b"answers\n")
    if not mark or not all(line.startswith(b"#") for line in head.splitlines()):
        sys.exit(f"{path}: no file of recorded answers; 'validate-gpu answers FOLDER --csv FILE' writes one")
    at = len(head) + len(mark)
    while at < len(data):
        end = data.find(b"\n", at)
        words = data[at:end].decode().split(" ", 5) if end >= 0 else []
        size = int(words[3]) if len(words) == 6 and words[0] == "=" else -1
        if size < 0 or data[end + 1 + size:end + 2 + size] != b"\n":
            print(f"{path}: byte {at}: not an answer, or cut off; the {len(found)} before it count", file=sys.stderr)
            break
        found[words[5]] = Answer(int(words[1]), int(words[2], 16), words[4], data[end + 1:end + 1 + size])
        at = end + size + 2
    return head.decode(), found


def same(x, y):
    return x.status == y.status == 0 and (x.mask, x.digest) == (y.mask, y.digest)


def verdict(card, ours):
    if card.status == ILLEGAL:
        return "illegal"
    if card.status:
        return "failed"
    if ours is None or ours.status:
        return "not ours"
    return "equal" if same(card, ours) else "different"


VERDICTS = ("equal", "different", "illegal", "failed", "not ours")


def differences(card, ours):
    """(row, lane, name, card's word, our word) of each word that differs; none where one has no bytes."""
    if card.mask != ours.mask or len(card.data) != len(ours.data):
        return
    written = [name for n, name in enumerate(NAMES) if card.mask >> n & 1]
    for n, (x, y) in enumerate(zip(struct.iter_unpack("<I", card.data), struct.iter_unpack("<I", ours.data))):
        if x != y:
            yield n // LANES // len(written), n % LANES, written[n // LANES % len(written)], x[0], y[0]


def show(line, card, ours, most):
    if card.mask != ours.mask:
        print(f"{line}: writes {card.mask:#x} on the card, {ours.mask:#x} here")
        return
    found = list(differences(card, ours))
    print(f"{line}: {len(found)} words of {len(card.data) // 4} differ" if found else f"{line}: another digest")
    for row, lane, name, x, y in found[:most]:
        print(f"    row {row}, lane {lane}, {name}: {x:08x} on the card, {y:08x} here")


def compare(card, ours, most):
    """Prints the table. 0: all that the card executes is equal."""
    (_, card), (_, ours) = card, ours
    counts = collections.defaultdict(collections.Counter)
    for line, answer in card.items():
        word = verdict(answer, ours.get(line))
        counts[line.split()[0].split(".")[0]][word] += 1
        if word == "different":
            show(line, answer, ours[line], most)
        elif word != "equal":
            print(f"{line}: {word}, status {answer.status} on the card, "
                  f"{ours[line].status if line in ours else 'none'} here")
    print(f"{'mnemonic':12} " + " ".join(f"{word:>9}" for word in VERDICTS))
    for mnemonic, count in sorted(counts.items()):
        print(f"{mnemonic:12} " + " ".join(f"{count[word]:9}" for word in VERDICTS))
    total = sum(counts.values(), collections.Counter())
    print(f"{'all':12} " + " ".join(f"{total[word]:9}" for word in VERDICTS))
    return 1 if total["different"] or not total["equal"] else 0


def pack(card, ours, path):
    """Writes the card's answers. Equal ones, which can be computed again, keep their digest alone."""
    (head, card), (_, ours) = card, ours
    with open(path, "wb") as file:
        file.write(head.encode() + b"# packed: of equal answers the digest alone\nanswers\n")
        for line, one in card.items():
            data = b"" if line in ours and same(one, ours[line]) else one.data
            file.write(f"= {one.status} {one.mask:x} {len(data)} {one.digest} {line}\n".encode() + data + b"\n")
    return 0
