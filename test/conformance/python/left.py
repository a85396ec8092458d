"""What is there after a process that ended with a call still open."""

import subprocess
import sys
from pathlib import Path

from scenario import equal


def left(client, how: str) -> None:
    project = f"{client.entity}/{client.project}"
    leaver = Path(__file__).with_name("leaver.py")
    subprocess.run([sys.executable, str(leaver), project, how], check=True, capture_output=True)
    calls = list(client.get_calls())
    equal(sorted(call.output for call in calls if call.output is not None), list(range(100)))
    (left,) = [call for call in calls if call.output is None]
    equal((left.inputs, left.ended_at), ({"why": "the process ended"}, None))
    equal(left.summary["weave"]["status"], "running")
