"""Ends without flushing, with a call that never ended: `leaver.py <project> told|untold`.

Told: its op tells the server of a call as soon as it starts. Untold: the client knows of the call alone, and waits for its
end for five minutes before it sends what it has.
"""

import sys

import weave

project, told = sys.argv[1], sys.argv[2] == "told"
client = weave.init(project)


@weave.op
def quick(n: int) -> int:
    return n


@weave.op(eager_call_start=told)
def endless(why: str) -> None: ...


for n in range(100):
    quick(n)
client.create_call(endless, {"why": "the process ended"})
