"""Makes calls for some seconds, also during an outage, and prints how many: `steady.py <project> <seconds>`."""

import sys
import time

import weave

client = weave.init(sys.argv[1])


@weave.op
def tick(n: int) -> int:
    return n


deadline = time.monotonic() + float(sys.argv[2])
made = 0
while time.monotonic() < deadline:
    tick(made)
    made += 1
    time.sleep(0.02)
client.finish()
print("MADE", made)
