"""Reads C sources without a compiler: the functions that a tree of files defines, and the names that each one calls.

Comments and texts are cut out, macros of the tree are expanded (so a list of rows calls the functions that its rows
name), and functions are found at brace depth 0. Types are not known: a name followed by a parenthesis is a call."""
import collections
import re

TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
TOKEN = re.compile(r"[A-Za-z_]\w*|\.?\d[\w.]*|->|##|\.\.\.|==|[^\s\w]")
NAME = re.compile(r"[A-Za-z_]\w*$")
DIRECTIVE = re.compile(r"\s*#\s*(\w+)\s*(.*)", re.S)
DEFINE = re.compile(r"(\w+)(\(([^)]*)\))?(.*)", re.S)
KEYWORDS = frozenset("if while for switch return sizeof else do case goto default break continue typeof _Static_assert "
                     "_Alignof _Generic __attribute__ static_assert defined".split())
DEEPEST_EXPANSION = 12

Macro = collections.namedtuple("Macro", "parameters body")
Token = collections.namedtuple("Token", "text line made")   # made: from a macro's body


class Function:
    """A definition: its place, whether only its file sees it, its parameters as text, and the names in it."""

    def __init__(self, file, name, line, static, parameters, made):
        self.file, self.name, self.line, self.static, self.made = file, name, line, static, made
        self.parameters = parameters
        self.end = line
        self.calls = {}        # name -> line of its first call
        self.mentions = {}     # name without a call: a function's address, or a variable
        self.declared = set()  # names of parameters and local variables

    @property
    def lines(self):
        return self.end - self.line + 1


class File:
    """A file's functions, the names in its initialisers, and the files that it includes."""

    def __init__(self, path):
        self.path = path
        self.functions = []
        self.mentions = {}
        self.includes = []     # (line, name as written)
        self.lines = 0
        self.text = ""         # without comments and texts
        self.macros = {}
        self.seen = {}         # the files that it includes, itself or by others


def plain(source):
    """The source without comments and texts, line for line."""
    def blank(match):
        found = match.group()
        return '""' if found[0] in "\"'" else " " + "\n" * found.count("\n")
    return TEXT.sub(blank, source)


def pieces(text):
    """Tokens and directives in order: (line, 'token' or directive, text)."""
    lines, at = text.split("\n"), 0
    while at < len(lines):
        line, number = lines[at], at + 1
        at += 1
        if not line.lstrip().startswith("#"):
            if line:
                yield number, None, line
            continue
        while line.endswith("\\") and at < len(lines):
            line = line[:-1] + " " + lines[at]
            at += 1
        kind, rest = DIRECTIVE.match(line + " ").groups() if DIRECTIVE.match(line + " ") else ("", "")
        yield number, kind, rest.strip()


def define(text):
    """The name and the macro of a #define."""
    name, parenthesis, parameters, body = DEFINE.match(text).groups()
    names = [p.strip() for p in parameters.split(",")] if parenthesis else None
    return name, Macro(names, TOKEN.findall(body))


class Expander:
    """A file's tokens with the macros expanded that are known where they stand."""

    def __init__(self, file, shared):
        self.macros, self.shared = {}, shared
        self.queue = collections.deque()
        self.lines = pieces(file.text)
        self.active = []

    def fill(self):
        """Reads lines up to the next token; returns False at the end."""
        for number, kind, rest in self.lines:
            if kind is None:
                self.queue.extend(Token(t, number, False) for t in TOKEN.findall(rest))
                if self.queue:
                    return True
            elif kind == "define":
                name, macro = define(rest)
                self.macros[name] = macro
            elif kind == "undef":
                self.macros.pop(rest, None)
        return False

    def peek(self):
        while not self.queue:
            if not self.fill():
                return ""
        return self.queue[0].text if isinstance(self.queue[0], Token) else ""

    def arguments(self):
        """Takes a parenthesis and splits it at its commas."""
        self.queue.popleft()
        depth, found, current = 1, [], []
        while self.queue or self.fill():
            token = self.queue.popleft()
            if not isinstance(token, Token):
                self.active.remove(token)
                continue
            depth += (token.text in "([{") - (token.text in ")]}")
            if depth == 0:
                break
            if token.text == "," and depth == 1:
                found.append(current)
                current = []
            else:
                current.append(token.text)
        return found + [current]

    def substitute(self, macro, arguments):
        named = dict(zip(macro.parameters, arguments))
        if macro.parameters and macro.parameters[-1] == "...":
            rest = arguments[len(macro.parameters) - 1:]
            named["__VA_ARGS__"] = [t for i, a in enumerate(rest) for t in ([","] if i else []) + a]
        out, paste, text = [], False, False
        for token in macro.body:
            if token == "##":
                paste = True
            elif token == "#":
                text = True
            elif text:
                out.append('"')
                text = False
            else:
                new = list(named.get(token, [token]))
                if paste and out and new:
                    new[0] = out.pop() + new[0]
                out += new
                paste = False
        return out

    def __iter__(self):
        while self.queue or self.fill():
            token = self.queue.popleft()
            if not isinstance(token, Token):   # the end of an expansion
                self.active.remove(token)
                continue
            macro = self.macros.get(token.text) or self.shared.get(token.text)
            if macro is None or token.text in self.active or len(self.active) > DEEPEST_EXPANSION:
                yield token
            elif macro.parameters is not None and self.peek() != "(":
                yield token
            else:
                body = macro.body if macro.parameters is None else self.substitute(macro, self.arguments())
                self.active.append(token.text)
                self.queue.appendleft(token.text)
                self.queue.extendleft(Token(t, token.line, True) for t in reversed(body))


def opening(tokens, at):
    """The place of the parenthesis that the one at `at` closes."""
    depth = 0
    while at >= 0:
        depth += (tokens[at].text == ")") - (tokens[at].text == "(")
        if depth == 0:
            return at
        at -= 1
    return -1


def head(file, tokens):
    """The function whose body follows these tokens, or None."""
    if any(t.text == "=" for t in tokens):
        return None
    at = len(tokens) - 1
    while at >= 0 and tokens[at].text == ")":
        begin = opening(tokens, at)
        if begin > 0 and tokens[begin - 1].text == ")":   # a pointer to a function is its result
            at = begin - 2
            continue
        name = tokens[begin - 1] if begin > 0 else None
        if name is None or not NAME.match(name.text):
            return None
        if name.text != "__attribute__":
            break
        at = begin - 2
    else:
        return None
    first = begin - 1
    while first > 0 and (NAME.match(tokens[first - 1].text) or tokens[first - 1].text in "*("):
        first -= 1
    words = [t.text for t in tokens[first:begin]]
    parameters = [t.text for t in tokens[begin + 1:at]]
    made = file.path.suffix == ".def" or name.made
    found = Function(file, name.text, tokens[first].line, "static" in words, " ".join(parameters), made)
    found.declared.update(a for a, b in zip(parameters, parameters[1:] + [","]) if NAME.match(a) and b in ",[)")
    return found


def note(where, before, token, after):
    """Notes the name in a token of a body or an initialiser."""
    text = token.text
    if not NAME.match(text) or text in KEYWORDS or before in (".", "->"):
        return
    if after == "(":
        getattr(where, "calls", where.mentions).setdefault(text, token.line)
        return
    declares = before == "*" or (NAME.match(before) and before not in KEYWORDS)
    if declares and isinstance(where, Function) and after in ("=", ";", ",", "["):
        where.declared.add(text)
    where.mentions.setdefault(text, token.line)


def read_body(file, stream, where, ended):
    """Reads to the brace that closes `where`; returns its line."""
    depth, before, token = 1, "{", None
    for after in stream:
        if token is not None:
            note(where, before, token, after.text)
            before = token.text
        token = after
        depth += (after.text == "{") - (after.text == "}")
        if depth == 0:
            break
    return token.line if token else ended


def read_functions(file, shared):
    stream, tokens = iter(Expander(file, shared)), []
    for token in stream:
        if token.text == "{":
            function = head(file, tokens)
            if function:
                file.functions.append(function)
            line = read_body(file, stream, function or file, token.line)
            if function:
                function.end = line
                tokens = []
            else:
                tokens = [t for t in tokens if t.text == "="]
        elif token.text in (";", "}"):
            tokens = []
        else:
            assigned = any(t.text == "=" for t in tokens[-3:])
            if assigned and NAME.match(token.text):
                file.mentions.setdefault(token.text, token.line)
            tokens.append(token)


def read_text(path):
    """The file without its functions: its text, lines, includes and macros."""
    source = path.read_text(encoding="utf-8")
    file = File(path)
    file.lines = source.count("\n")
    file.text = plain(source)
    names = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
    file.includes = [(source.count("\n", 0, m.start()) + 1, m.group(1)) for m in names.finditer(source)]
    file.macros = dict(define(rest) for _, kind, rest in pieces(file.text) if kind == "define" and rest)
    return file


def closure(file, by_name, known):
    """The files that this one includes, itself or by others."""
    if file not in known:
        known[file] = {}   # a ring of includes ends here
        found = {}
        for _, name in file.includes:
            if name in by_name:
                found.update(dict.fromkeys([by_name[name], *closure(by_name[name], by_name, known)]))
        known[file] = found
    return known[file]


def read_tree(folder):
    """All .c, .h and .def files below the folder, in order."""
    files = [read_text(path) for path in sorted(folder.rglob("*")) if path.suffix in (".c", ".h", ".def")]
    by_name, known = {str(f.path.relative_to(folder)): f for f in files}, {}
    for file in files:
        file.seen = closure(file, by_name, known)
        if file.path.suffix != ".def":
            shared = {}
            for other in file.seen:
                shared.update(other.macros)
            read_functions(file, shared)
    return files
