"""Queues of calls for annotators, the sources of datasets, and runtimes."""

import weave
from pydantic import Field
from weave.flow.annotation_spec import AnnotationSpec
from scenario import equal, run, scenario


def some_calls(client, count: int) -> list:
    @weave.op
    def reply(n: int) -> int:
        return n * 2

    calls = [reply.call(n)[1] for n in range(count)]
    client.flush()
    return calls


@scenario("creates, changes, lists and deletes annotation queues")
def queues(client):
    queue_id = client.create_annotation_queue(name="Review", scorer_refs=[], description="Rate them.")
    queue = client.get_annotation_queue(queue_id)
    equal((queue.name, queue.description, queue.scorer_refs, queue.deleted_at), ("Review", "Rate them.", [], None))
    changed = client.update_annotation_queue(queue_id, name="Second look")
    equal((changed.name, changed.description), ("Second look", "Rate them."))
    equal([one.id for one in client.list_annotation_queues(name="LOOK")], [queue_id])
    equal(client.list_annotation_queues(name="other"), [])
    assert client.delete_annotation_queue(queue_id).deleted_at is not None
    equal(client.list_annotation_queues(), [])


@scenario("adds calls to a queue, claims and completes an item")
def items(client):
    calls = some_calls(client, 3)
    queue_id = client.create_annotation_queue(name="Review", scorer_refs=[])
    added = client.add_calls_to_annotation_queue(queue_id, call_ids=[call.id for call in calls], display_fields=["output"])
    equal((added.added_count, added.duplicates), (3, 0))
    first, second, _ = client.list_annotation_queue_items(queue_id, include_position=True)
    equal((first.call_id, first.position_in_queue, first.annotation_state), (calls[0].id, 1, "unstarted"))

    for state in ("in_progress", "completed"):
        request = {"project_id": client.project_id, "queue_id": queue_id, "item_id": second.id, "annotation_state": state}
        item = client.server.annotator_queue_items_progress_update(request).item
        equal((item.id, item.annotation_state), (second.id, state))
    open_items = client.list_annotation_queue_items(queue_id, filter={"annotation_states": ["unstarted"]})
    equal([one.call_id for one in open_items], [calls[0].id, calls[2].id])
    (stat,) = client.get_annotation_queue_stats([queue_id])
    equal((stat.total_items, stat.completed_items), (3, 1))

    in_queue = {"$expr": {"$eq": [{"$getField": "annotation_queue_items.queue_id"}, {"$literal": queue_id}]}}
    equal(len(list(client.get_calls(query=in_queue))), 3)


@scenario("publishes annotation specs, and stores annotations of a queue that refer to them")
def specs(client):
    rating = AnnotationSpec(name="Rating", field_schema={"type": "integer", "minimum": 1, "maximum": 5})
    ref = weave.publish(rating, "rating")
    as_field = AnnotationSpec(name="Tone", field_schema=(str, Field(max_length=10)))
    weave.publish(as_field, "tone")
    client.flush()
    read = weave.ref(ref.uri()).get()
    equal((read.name, read.field_schema, read.value_is_valid(4), read.value_is_valid(6)), ("Rating", rating.field_schema, True, False))
    equal(weave.ref("tone").get().field_schema["maxLength"], 10)

    (call,) = some_calls(client, 1)
    queue_id = client.create_annotation_queue(name="Rate", scorer_refs=[ref.uri()])
    client.add_calls_to_annotation_queue(queue_id, call_ids=[call.id], display_fields=[])
    request = {"project_id": client.project_id, "weave_ref": call.ref.uri(), "feedback_type": "wandb.annotation.rating", "payload": {"value": 4}, "annotation_ref": ref.uri(), "queue_id": queue_id}
    client.server.feedback_create(request)
    # The SDK sends feedback in the background.
    client.flush()
    (annotation,) = client.get_call(call.id).feedback
    equal((annotation.feedback_type, annotation.payload, annotation.annotation_ref), ("wandb.annotation.rating", {"value": 4}, ref.uri()))
    rated = {"$expr": {"$gt": [{"$convert": {"input": {"$getField": "feedback.[wandb.annotation.rating].payload.value"}, "to": "int"}}, {"$literal": 3}]}}
    equal([one.id for one in client.get_calls(query=rated)], [call.id])


@scenario("links rows of a dataset to calls, finds them from both ends, and removes a link")
def sources(client):
    (call,) = some_calls(client, 1)
    source = {"source_kind": "call", "source_id": call.id, "source_trace_id": call.trace_id}
    link = {"row_digest": "row", "sources": [source], "link_metadata": {"by": "hand"}}
    request = {"project_id": client.project_id, "dataset_object_id": "examples", "dataset_digest": "v0", "links": [link]}
    (entry,) = client.server.dataset_sources_link({**request, "include_created_status": True}).entries
    equal(entry.created, True)
    (found,) = client.server.dataset_sources_query({"project_id": client.project_id, "dataset_object_id": "examples"}).links
    equal((found.id, found.source_id, found.link_metadata), (entry.link_id, call.id, {"by": "hand"}))
    (member,) = client.server.source_datasets_query({"project_id": client.project_id, "sources": [source]}).memberships
    equal((member.dataset_object_id, member.row_digests), ("examples", ["row"]))
    deletion = {"project_id": client.project_id, "link_ids": [entry.link_id]}
    equal([one.deleted for one in client.server.dataset_sources_link_delete(deletion).entries], [True])


@scenario("registers a runtime and replaces its models")
def runtimes(client):
    runtime = client.register_custom_runtime(name="mine", base_url="https://models.example.com/v1", runtime_ids=["small", "large"])
    equal([one.playground_id for one in runtime.runtime_ids], ["custom::mine::small", "custom::mine::large"])
    runtime = client.register_custom_runtime(name="mine", base_url="https://models.example.com/v2", runtime_ids=["small"])
    equal((runtime.base_url, [one.max_tokens for one in runtime.runtime_ids]), ("https://models.example.com/v2", [4096]))


run()
