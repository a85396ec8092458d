"""Runs the scenarios of a file one after the other, each on a new project.

Every outcome is one line of JSON on stdout, which the test reads. The test ignores everything else that the client prints.
"""

import asyncio
import inspect
import json
import sys
import time
import traceback
import uuid
from typing import Any, Callable

import weave

_scenarios: list[tuple[str, Callable[..., Any]]] = []


def scenario(sentence: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function that takes a client and asserts what it reads back."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _scenarios.append((sentence, function))
        return function

    return register


def a_project() -> str:
    return f"acme/py-{uuid.uuid4().hex[:8]}"


def run() -> None:
    outcomes = [_outcome(sentence, function) for sentence, function in _scenarios]
    sys.exit(0 if all(outcomes) else 1)


def _outcome(sentence: str, function: Callable[..., Any]) -> bool:
    started = time.monotonic()
    error = ""
    try:
        client = weave.init(a_project())
        made = function(client)
        if inspect.isawaitable(made):
            asyncio.run(_awaited(made))
    except BaseException:
        error = traceback.format_exc()
    seconds = round(time.monotonic() - started, 2)
    line = json.dumps({"scenario": sentence, "ok": not error, "error": error, "seconds": seconds})
    print(line, flush=True)
    return not error


async def _awaited(made: Any) -> None:
    await made


def equal(got: Any, wanted: Any) -> None:
    assert got == wanted, f"got {got!r}, wanted {wanted!r}"
