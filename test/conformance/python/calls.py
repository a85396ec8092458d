"""Tracing: inputs, outputs and errors of ops are read back unchanged."""

import asyncio
import json
import os
import urllib.request

import weave
from scenario import equal, run, scenario
from weave.trace.urls import object_version_path, project_weave_root_url


def only(client, **query):
    """The one call that a query finds."""
    calls = list(client.get_calls(**query))
    equal(len(calls), 1)
    return calls[0]


@scenario("starts with a new project under the requested name")
def starts(client):
    equal(client.entity, "acme")
    assert client.project.startswith("py-"), client.project
    equal(len(client.get_calls()), 0)
    equal(list(client.get_calls()), [])


@scenario("takes the entity from the user of the key when a project is named without one")
def bare(client):
    name = f"{client.project}-bare"
    own = weave.init(name)
    equal((own.entity, own.project), ("ann", name))


@scenario("traces nested ops as a tree with inputs, outputs and parents")
def nested(client):
    @weave.op
    def inner(x: int) -> int:
        return x * 2

    @weave.op
    def outer(x: int) -> dict:
        return {"sum": inner(x) + inner(x + 1)}

    answer, root = outer.call(3)
    client.flush()

    equal(answer, {"sum": 14})
    read = client.get_call(root.id)
    equal(read.inputs, {"x": 3})
    equal(read.output, {"sum": 14})
    equal(read.parent_id, None)
    children = list(read.children())
    equal([child.inputs["x"] for child in children], [3, 4])
    equal([child.output for child in children], [6, 8])
    equal({child.trace_id for child in children}, {read.trace_id})
    assert all("op/inner:" in child.op_name for child in children)
    equal(read.summary["status_counts"], {"success": 3, "error": 0})
    equal(read.summary["weave"]["status"], "success")
    assert read.started_at <= children[0].started_at <= children[0].ended_at <= read.ended_at


@scenario("traces concurrent async ops under one parent")
async def side_by_side(client):
    @weave.op
    async def part(n: int) -> int:
        await asyncio.sleep(0)
        return n

    @weave.op
    async def whole() -> int:
        return sum(await asyncio.gather(*(part(n) for n in range(5))))

    equal(await whole(), 10)
    client.flush()
    root = only(client, filter={"trace_roots_only": True})
    parts = list(root.children())
    equal(sorted(call.output for call in parts), [0, 1, 2, 3, 4])


@scenario("joins what a generator yields, sync and async, with the accumulator of its op")
async def generators(client):
    @weave.op(accumulator=lambda state, piece: (state or "") + piece)
    def stream():
        yield "Hel"
        yield "lo"

    @weave.op(accumulator=lambda state, piece: [*(state or []), piece])
    async def words():
        for word in ("a", "b"):
            yield word

    equal("".join(stream()), "Hello")
    equal([word async for word in words()], ["a", "b"])
    client.flush()
    equal([call.output for call in client.get_calls()], ["Hello", ["a", "b"]])


@scenario("stores an exception with its type, message and traceback, and counts it for the parents")
def exceptions(client):
    @weave.op
    def fails() -> None:
        raise ValueError("no such luck")

    @weave.op
    def survives() -> str:
        try:
            fails()
        except ValueError:
            return "still here"
        return "never"

    equal(survives(), "still here")
    client.flush()
    root = only(client, filter={"trace_roots_only": True})
    equal(root.summary["weave"]["status"], "descendant_error")
    equal(root.summary["status_counts"], {"success": 1, "error": 1})
    (child,) = root.children()
    equal(child.summary["weave"]["status"], "error")
    exception = json.loads(child.exception)
    equal((exception["type"], exception["message"]), ("ValueError", "no such luck"))
    assert exception["traceback"], child.exception


@scenario("stores attributes, display names, threads and turns")
def context(client):
    @weave.op(call_display_name="a name of its own")
    def step(n: int) -> int:
        return n

    @weave.op
    def turn(n: int) -> int:
        return step(n)

    with weave.attributes({"env": "test", "depth": {"of": 2}}):
        with weave.thread("chat-1"):
            turn(1)
            turn(2)
    client.flush()

    turns = list(client.get_calls(filter={"trace_roots_only": True}))
    equal({call.thread_id for call in turns}, {"chat-1"})
    assert all(call.turn_id == call.id for call in turns)
    equal(turns[0].attributes["env"], "test")
    equal(turns[0].attributes["depth"], {"of": 2})
    (step_call,) = turns[0].children()
    equal(step_call.display_name, "a name of its own")
    equal((step_call.thread_id, step_call.turn_id), ("chat-1", turns[0].id))
    of_thread = client.get_calls(filter={"thread_ids": ["chat-1"]})
    equal(len(of_thread), 4)
    equal(len(client.get_calls(filter={"thread_ids": ["chat-2"]})), 0)


def opens_page(url: str) -> bool:
    """Whether a browser gets the page, whose contents the browser tests check."""
    assert url.startswith(os.environ["WANDB_BASE_URL"]), url
    with urllib.request.urlopen(url) as response:
        return '<div id="page">' in response.read().decode()


@scenario("prints links to pages of the call, the object and the project")
def links(client):
    @weave.op
    def linked(question: str) -> str:
        return "the answer"

    _, call = linked.call("what is it")
    ref = weave.publish({"colour": "mauve"}, "paint")
    client.flush()
    assert opens_page(call.ui_url)
    assert opens_page(object_version_path(client.entity, client.project, "paint", ref.digest))
    assert opens_page(project_weave_root_url(client.entity, client.project))


@scenario("logs a call without an op, with usage in its summary")
def by_hand(client):
    call = client.create_call("by hand", {"question": "6 * 7"}, attributes={"by": "hand"})
    call.summary = {"usage": {"a-model": {"prompt_tokens": 3, "completion_tokens": 4}}}
    client.finish_call(call, output=42)
    client.flush()
    read = client.get_call(call.id)
    equal(read.output, 42)
    equal(read.inputs, {"question": "6 * 7"})
    equal(read.summary["usage"]["a-model"]["prompt_tokens"], 3)
    equal(read.attributes["by"], "hand")


@scenario("returns numbers, also long integers, text and nesting exactly")
def exactly(client):
    value = {
        "long": 123456789012345678901234567890,
        "float": 1.0,
        "small": 1e-05,
        "text": "Grüße, 世界 😀 \u2028 \"quoted\" \\ / \x7f",
        "deep": [[[{"a": None}]], [], {}],
        "bool": True,
        "": "an empty key",
        "a.b": "a dot",
    }

    @weave.op
    def echo(given):
        return given

    echo(value)
    client.flush()
    call = only(client)
    equal(call.inputs["given"], value)
    equal(call.output, value)
    assert isinstance(call.output["float"], float), type(call.output["float"])


@scenario("returns a call while it runs, and its end when it has ended")
def eager(client):
    @weave.op(eager_call_start=True)
    def waits():
        client.flush()
        running = only(client, filter={"op_names": [f"weave:///{client.entity}/{client.project}/op/waits:*"]})
        equal(running.ended_at, None)
        equal(running.summary["weave"]["status"], "running")
        return "over"

    waits()
    client.flush()
    ended = only(client, filter={"op_names": [f"weave:///{client.entity}/{client.project}/op/waits:*"]})
    equal(ended.output, "over")
    assert ended.ended_at is not None


run()
