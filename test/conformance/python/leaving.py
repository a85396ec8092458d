"""A process that ends in the middle of it."""

import subprocess
import sys
from pathlib import Path

from scenario import equal, run, scenario


@scenario("loses nothing of a process that ends without flushing, with a call still open")
def leaves(client):
    project = f"{client.entity}/{client.project}"
    subprocess.run([sys.executable, str(Path(__file__).with_name("leaver.py")), project], check=True, capture_output=True)
    calls = list(client.get_calls())
    equal(sorted(call.output for call in calls if call.output is not None), list(range(100)))
    (left,) = [call for call in calls if call.output is None]
    equal((left.inputs, left.ended_at), ({"why": "the process ended"}, None))
    equal(left.summary["weave"]["status"], "running")


run()
