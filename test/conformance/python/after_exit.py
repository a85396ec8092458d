"""Checks what is stored after a process exited with an open call."""

import subprocess
import sys
from pathlib import Path

from scenario import equal


def check_after_exit(client, how: str) -> None:
    project = f"{client.entity}/{client.project}"
    script = Path(__file__).with_name("exit_with_open_call.py")
    subprocess.run([sys.executable, str(script), project, how], check=True, capture_output=True)
    calls = list(client.get_calls())
    equal(sorted(call.output for call in calls if call.output is not None), list(range(100)))
    (open_call,) = [call for call in calls if call.output is None]
    equal((open_call.inputs, open_call.ended_at), ({"why": "the process ended"}, None))
    equal(open_call.summary["weave"]["status"], "running")
