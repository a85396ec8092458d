"""Objects, models, prompts and ops are read back as published, with their versions, tags and aliases."""

import weave
from scenario import equal, run, scenario


class Greeter(weave.Model):
    greeting: str
    settings: dict = {}

    @weave.op
    def predict(self, name: str) -> str:
        return f"{self.greeting}, {name}"


class Nested(weave.Object):
    title: str
    model: Greeter


@scenario("publishes values and reads them back by ref, version and latest")
def values(client):
    first = weave.publish({"a": 1, "b": [1.5, None, "x"], "big": 2**70}, "config")
    second = weave.publish({"a": 2}, "config")
    equal(dict(weave.ref(first.uri()).get())["big"], 2**70)
    equal(weave.ref("config").get()["a"], 2)
    equal(weave.ref("config:v0").get()["a"], 1)
    equal(weave.ref("config:latest").get()["a"], 2)
    again = weave.publish({"a": 1, "b": [1.5, None, "x"], "big": 2**70}, "config")
    equal(again.uri(), first.uri())
    equal(weave.ref("config:latest").get()["a"], 1)
    equal([(o.object_id, o.version_index, o.is_latest) for o in client._objects()], [("config", 0, 1), ("config", 1, 0)])
    assert second.uri() != first.uri()


@scenario("publishes nested objects and models, and a model that is read back still predicts")
def models(client):
    ref = weave.publish(Nested(title="t", model=Greeter(greeting="Hello", settings={"loud": True})), "nested")
    client.flush()
    back = weave.ref(ref.uri()).get()
    equal(back.title, "t")
    equal(back.model.greeting, "Hello")
    equal(back.model.settings["loud"], True)
    equal(back.model.predict("Ada"), "Hello, Ada")
    client.flush()
    (call,) = client.get_calls()
    equal(call.output, "Hello, Ada")
    (listed,) = client._objects({"leaf_object_classes": ["Greeter"]})
    equal((listed.base_object_class, listed.leaf_object_class), ("Model", "Greeter"))


@scenario("publishes prompts and fills them in after reading them back")
def prompts(client):
    text = weave.publish(weave.StringPrompt("Hello {name}"), "greeting")
    chat = weave.publish(weave.MessagesPrompt([{"role": "user", "content": "I am {name}"}]), "chat")
    equal(weave.ref(text.uri()).get().format(name="Ada"), "Hello Ada")
    equal(weave.ref(chat.uri()).get().format(name="Ada"), [{"role": "user", "content": "I am Ada"}])


@scenario("stores a version of an op for each of its sources, and runs one that was read back")
def op_versions(client):
    @weave.op
    def triple(x: int) -> int:
        return 3 * x

    first = weave.publish(triple)

    @weave.op
    def triple(x: int) -> int:
        return x + x + x

    second = weave.publish(triple)
    client.flush()
    assert first.digest != second.digest
    back = weave.ref(first.uri()).get()
    assert "3 * x" in back.get_captured_code(), back.get_captured_code()
    equal(weave.ref("triple:latest").digest, "latest")
    back(2)
    triple(2)
    client.flush()
    calls = list(client.get_calls())
    equal(len({call.op_name for call in calls}), 2)
    equal([call.output for call in calls], [6, 6])
    wildcard = f"weave:///{client.entity}/{client.project}/op/triple:*"
    equal(len(client.get_calls(filter={"op_names": [wildcard]})), 2)


@scenario("lists objects, deletes versions and restores one by publishing it again")
def deletes(client):
    refs = [weave.publish({"n": n}, "short-lived") for n in range(3)]
    weave.publish({"n": "other"}, "other")
    client.delete_object_version(refs[1])
    listed = client._objects({"object_ids": ["short-lived"]})
    equal([o.version_index for o in listed], [0, 2])
    equal(client.delete_object_versions("short-lived", ["latest"]), 1)
    equal(weave.ref("short-lived:latest").get()["n"], 0)
    weave.publish({"n": 1}, "short-lived")
    equal(weave.ref("short-lived:v1").get()["n"], 1)
    equal(client.delete_all_object_versions("short-lived"), 2)
    equal([o.object_id for o in client._objects()], ["other"])


@scenario("adds tags and aliases to versions, finds versions by them and removes them")
def tags(client):
    first = weave.publish({"n": 1}, "tagged")
    second = weave.publish({"n": 2}, "tagged")
    weave.add_tags(first, ["good", "reviewed"])
    weave.set_aliases(first, "production")
    equal(sorted(weave.get_tags(first)), ["good", "reviewed"])
    equal(weave.get_aliases(first), ["production"])
    equal(sorted(weave.list_tags()), ["good", "reviewed"])
    equal(weave.list_aliases(), ["latest", "production"])
    equal(weave.ref("tagged:production").get()["n"], 1)
    weave.set_aliases(second, "production")
    equal(weave.ref("tagged:production").get()["n"], 2)
    equal([o.digest for o in client._objects({"tags": ["good"]})], [first.digest])
    weave.remove_tags(first, ["good"])
    weave.remove_aliases(second, "production")
    equal(weave.get_tags(first), ["reviewed"])
    equal(weave.list_aliases(), ["latest"])


@scenario("follows refs inside values")
def nested_refs(client):
    inner = weave.publish({"deep": [1, {"key": "value"}]}, "inner")
    outer = weave.publish({"inner": inner, "list": [inner]}, "outer")
    back = weave.ref(outer.uri()).get()
    equal(back["inner"]["deep"][1]["key"], "value")
    equal(back["list"][0]["deep"][0], 1)


run()
