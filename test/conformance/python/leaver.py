"""Ends with calls neither sent nor ended: `leaver.py <project>`."""

import sys

import weave
from weave.trace_server_bindings import call_batch_processor

# How long the client waits at its end for calls that are still open: five minutes, which no test should take.
call_batch_processor.FLUSH_TIMEOUT_SECONDS = 1

client = weave.init(sys.argv[1])


@weave.op
def quick(n: int) -> int:
    return n


for n in range(100):
    quick(n)
client.create_call("left open", {"why": "the process ended"})
