"""Digests as Python computes them. With a number: prints that many test vectors. Without: one result per input line."""

import base64
import hashlib
import json
import random
import sys


def digest(text):
    raw = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return raw.replace("-", "X").replace("_", "Y").rstrip("=")


def expected(source):
    canonical = json.dumps(json.loads(source), sort_keys=True)
    return {"canonical": canonical, "digest": digest(canonical)}


def number(r):
    kind = r.randrange(8)
    if kind == 0:
        return str(r.randrange(-100, 100))
    if kind == 1:
        return str(r.randrange(-(10**40), 10**40))
    if kind == 2:
        return r.choice(["-0", "0", "-0.0", "0.0", "0e0", "-0e5", "1E400", "-1e999", "5e-324", "1.7976931348623157e308"])
    if kind == 3:
        return repr(r.uniform(-1000, 1000))
    if kind == 4:
        return f"{r.randrange(1, 10)}.{r.randrange(10**6)}e{r.randrange(-330, 310)}"
    if kind == 5:
        return f"{r.randrange(1, 10**17)}e{r.randrange(-25, 25)}"
    if kind == 6:
        return f"{r.randrange(10**20)}.{r.randrange(10**12):012}"
    return f"0.{'0' * r.randrange(8)}{r.randrange(1, 10**9)}"


def text(r):
    alphabet = ["a", "Z", " ", "/", '"', "\\", "\n", "\t", "\r", "\b", "\f", "\x00", "\x1f", "\x7f", "\u00e9",
                "\u2028", "\ufffd", "\uffff", "\U0001f600", "\U0010ffff", "\ud83d", "\udc00", "</script>", "0"]
    return "".join(r.choice(alphabet) for _ in range(r.randrange(6)))


def quoted(r, s):
    plain = r.random() < 0.5 and not any(0xD800 <= ord(c) <= 0xDFFF for c in s)
    out = json.dumps(s, ensure_ascii=not plain)
    return out.replace("/", "\\/") if r.random() < 0.3 else out


def value(r, depth=0):
    kind = r.randrange(5 if depth < 4 else 3)
    space = lambda: r.choice(["", "", " ", "\n\t"])
    if kind == 0:
        return number(r)
    if kind == 1:
        return quoted(r, text(r))
    if kind == 2:
        return r.choice(["true", "false", "null"])
    if kind == 3:
        return "[" + ",".join(space() + value(r, depth + 1) + space() for _ in range(r.randrange(5))) + "]"
    members = (space() + quoted(r, text(r)) + space() + ":" + space() + value(r, depth + 1) for _ in range(r.randrange(6)))
    return "{" + ",".join(members) + space() + "}"


if len(sys.argv) > 1:
    r = random.Random(6)
    sources = [value(r) for _ in range(int(sys.argv[1]))]
    rows = ",\n".join("  " + json.dumps({"json": s, **expected(s)}) for s in sources)
    print(f"[\n{rows}\n]")
else:
    for line in sys.stdin:
        print(json.dumps(expected(json.loads(line))))
