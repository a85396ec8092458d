"""Queries of calls: filters, order, columns, expansion, renaming and deletion."""

import weave
from scenario import equal, run, scenario


def traced(client, count: int):
    @weave.op
    def square(n: int, label: str) -> dict:
        if n == 3:
            raise RuntimeError("three is not allowed")
        return {"square": n * n, "label": label}

    for n in range(count):
        try:
            square(n, "even" if n % 2 == 0 else "odd")
        except RuntimeError:
            pass
    client.flush()
    return square


@scenario("filters by op, by query and by both, and counts the same calls")
def filters(client):
    square = traced(client, 6)
    equal(len(client.get_calls()), 6)
    equal(len(client.get_calls(filter={"op_names": [square.ref.uri]})), 6)
    equal(len(client.get_calls(filter={"op_names": ["weave:///acme/other/op/x:*"]})), 0)
    even = {"$expr": {"$eq": [{"$getField": "inputs.label"}, {"$literal": "even"}]}}
    equal([call.inputs["n"] for call in client.get_calls(query=even)], [0, 2, 4])
    equal(len(client.get_calls(query=even)), 3)
    large = {"$expr": {"$gt": [{"$getField": "output.square"}, {"$literal": 4}]}}
    equal([call.inputs["n"] for call in client.get_calls(query=large)], [4, 5])
    both = {"$expr": {"$and": [even["$expr"], large["$expr"]]}}
    equal([call.inputs["n"] for call in client.get_calls(query=both)], [4])
    failed = {"$expr": {"$eq": [{"$getField": "summary.weave.status"}, {"$literal": "error"}]}}
    equal([call.inputs["n"] for call in client.get_calls(query=failed)], [3])
    text = {"$expr": {"$contains": {"input": {"$getField": "exception"}, "substr": {"$literal": "NOT ALLOWED"}, "case_insensitive": True}}}
    equal([call.inputs["n"] for call in client.get_calls(query=text)], [3])
    one_of = {"$expr": {"$in": [{"$getField": "inputs.n"}, [{"$literal": 1}, {"$literal": 5}]]}}
    equal([call.inputs["n"] for call in client.get_calls(query=one_of)], [1, 5])


@scenario("sorts, limits and pages, forwards and backwards")
def sorts(client):
    traced(client, 7)
    down = [{"field": "inputs.n", "direction": "desc"}]
    equal([call.inputs["n"] for call in client.get_calls(sort_by=down)], [6, 5, 4, 3, 2, 1, 0])
    latest = [{"field": "started_at", "direction": "desc"}]
    equal([call.inputs["n"] for call in client.get_calls(sort_by=latest, limit=2)], [6, 5])
    equal([call.inputs["n"] for call in client.get_calls(limit=2, offset=3)], [3, 4])
    equal([call.inputs["n"] for call in client.get_calls(page_size=2)], [0, 1, 2, 3, 4, 5, 6])
    equal(client.get_calls()[4].inputs["n"], 4)
    equal([call.inputs["n"] for call in client.get_calls()[2:5]], [2, 3, 4])
    equal(len(client.get_calls(limit=3)), 3)


@scenario("returns only the requested columns, and sizes when they are requested")
def columns(client):
    traced(client, 1)
    (call,) = client.get_calls(columns=["output.square", "id"], include_storage_size=True, include_total_storage_size=True)
    equal(call.output["square"], 0)
    equal(call.inputs, {})
    assert call.storage_size_bytes > 0, call.storage_size_bytes
    assert call.total_storage_size_bytes >= call.storage_size_bytes


@scenario("expands refs in inputs, and filters and sorts by their values")
def expands(client):
    @weave.op
    def answer(config: dict) -> str:
        return config["model"]

    small = weave.publish({"model": "small", "temperature": 0.1}, "config-small")
    large = weave.publish({"model": "large", "temperature": 0.9}, "config-large")
    answer(weave.ref(small.uri()).get())
    answer(weave.ref(large.uri()).get())
    client.flush()

    plain = list(client.get_calls())
    equal([call.inputs["config"]["model"] for call in plain], ["small", "large"])
    warm = {"$expr": {"$gt": [{"$getField": "inputs.config.temperature"}, {"$literal": 0.5}]}}
    (call,) = client.get_calls(query=warm, expand_columns=["inputs.config"])
    equal(call.output, "large")
    down = [{"field": "inputs.config.temperature", "direction": "desc"}]
    ordered = client.get_calls(sort_by=down, expand_columns=["inputs.config"])
    equal([call.output for call in ordered], ["large", "small"])
    equal(len(client.get_calls(filter={"input_refs": [large.uri()]})), 1)


@scenario("walks a tree of calls by children, parents and trace")
def tree(client):
    @weave.op
    def leaf(n: int) -> int:
        return n

    @weave.op
    def branch(n: int) -> int:
        return leaf(n) + leaf(n + 1)

    @weave.op
    def trunk() -> int:
        return branch(0) + branch(10)

    _, root = trunk.call()
    client.flush()
    equal(len(client.get_calls(filter={"trace_ids": [root.trace_id]})), 7)
    branches = list(client.get_call(root.id).children())
    equal([call.output for call in branches], [1, 21])
    leaves = client.get_calls(filter={"parent_ids": [call.id for call in branches]})
    equal([call.output for call in leaves], [0, 1, 10, 11])
    equal([call.id for call in client.get_calls(filter={"trace_roots_only": True})], [root.id])


@scenario("renames a call and removes the name again")
def renames(client):
    @weave.op
    def named() -> int:
        return 1

    _, call = named.call()
    client.flush()
    call.set_display_name("a better name")
    client.flush()
    equal(client.get_call(call.id).display_name, "a better name")
    by_name = {"$expr": {"$eq": [{"$getField": "display_name"}, {"$literal": "a better name"}]}}
    equal(len(client.get_calls(query=by_name)), 1)
    call.remove_display_name()
    client.flush()
    equal(client.get_call(call.id).display_name, None)


@scenario("deletes a call with all its descendants, and only those")
def deletes(client):
    @weave.op
    def child() -> int:
        return 1

    @weave.op
    def parent() -> int:
        return child() + child()

    _, gone = parent.call()
    _, stays = parent.call()
    client.flush()
    equal(len(client.get_calls()), 6)
    gone.delete()
    left = list(client.get_calls())
    equal({call.trace_id for call in left}, {stays.trace_id})
    equal(len(client.get_calls()), 3)
    client.delete_calls([call.id for call in left])
    equal(len(client.get_calls()), 0)


run()
