"""Exits without a flush while a call is open: `exit_with_open_call.py <project> sent|unsent`.

With `sent` the client sends the start of the open call at once. With `unsent` it waits for the end of the call for five
minutes before it sends the start.
"""

import sys

import weave

project, is_sent = sys.argv[1], sys.argv[2] == "sent"
client = weave.init(project)


@weave.op
def quick(n: int) -> int:
    return n


@weave.op(eager_call_start=is_sent)
def endless(why: str) -> None: ...


for n in range(100):
    quick(n)
client.create_call(endless, {"why": "the process ended"})
