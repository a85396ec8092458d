"""Many calls at once."""

import time

import weave
from scenario import equal, run, scenario

COUNT = 20_000


@scenario("stores twenty thousand calls of one process exactly once each")
def bulk(client):
    @weave.op
    def work(n: int) -> dict:
        return {"n": n, "text": "some words to carry along " * 4}

    for n in range(COUNT):
        work(n)
    client.flush()
    # A read waits a second for the caller's writes, and a burst takes longer to be stored.
    deadline = time.monotonic() + 60
    while len(client.get_calls()) < COUNT and time.monotonic() < deadline:
        time.sleep(0.5)
    equal(len(client.get_calls()), COUNT)
    numbers = [call.output["n"] for call in client.get_calls(columns=["output"])]
    equal(len(numbers), COUNT)
    equal(sorted(numbers), list(range(COUNT)))


run()
