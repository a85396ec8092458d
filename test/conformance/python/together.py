"""Writes calls to a project while the other SDK does, then reads them all: `together.py <project> <own> <all>`."""

import sys
import time

import weave

project, own, every = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
client = weave.init(project)


@weave.op
def shared(sdk: str, n: int) -> str:
    return f"{sdk} {n}"


for n in range(own):
    shared("python", n)
    if n % 50 == 0:
        weave.publish({"sdk": "python", "n": n}, "shared")
client.flush()

deadline = time.monotonic() + 60
while len(client.get_calls()) < every and time.monotonic() < deadline:
    time.sleep(0.2)
outputs = [call.output for call in client.get_calls()]
print("READ", len(outputs), len(set(outputs)), sum(output.startswith("python ") for output in outputs))
