"""Writes calls, a dataset and an object with a key that may only add: `only_writes.py <project>`."""

import sys

import weave

client = weave.init(sys.argv[1])


@weave.op
def inner(n: int) -> int:
    return n + 1


@weave.op
def outer(n: int) -> int:
    return inner(n)


for n in range(20):
    outer(n)
weave.publish(weave.Dataset(name="rows", rows=[{"n": n} for n in range(500)]))
weave.publish({"by": "python"}, "settings")
client.finish()
print("WRITTEN")
