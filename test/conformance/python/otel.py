"""Spans of the OpenTelemetry SDK are sent by its own exporter and read back through the client."""

import base64
import json
import os
import time

import weave
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from scenario import equal, run, scenario


def exporter(**options) -> OTLPSpanExporter:
    key = base64.b64encode(f"api:{os.environ['WANDB_API_KEY']}".encode()).decode()
    headers = {"Authorization": f"Basic {key}", **options.pop("headers", {})}
    return OTLPSpanExporter(endpoint=f"{os.environ['WANDB_BASE_URL']}/otel/v1/traces", headers=headers, **options)


def traced(sent_by: OTLPSpanExporter, resource: dict) -> None:
    provider = TracerProvider(resource=Resource.create({"service.name": "tested", **resource}))
    provider.add_span_processor(BatchSpanProcessor(sent_by))
    tracer = provider.get_tracer("conformance", "1.2.3")
    with tracer.start_as_current_span("plan"):
        try:
            with tracer.start_as_current_span("chat") as span:
                span.set_attribute("gen_ai.request.model", "a-model")
                span.set_attribute("gen_ai.usage.prompt_tokens", 11)
                span.set_attribute("gen_ai.usage.completion_tokens", 13)
                span.set_attribute("input.value", json.dumps({"question": "Grüße 😀", "n": 2**70}))
                span.set_attribute("output.value", "plain text")
                span.set_attribute("gen_ai.conversation.id", "chat-1")
                raise ValueError("too far")
        except ValueError:
            pass
    assert provider.force_flush()
    provider.shutdown()


def check(client) -> None:
    (plan,) = client.get_calls(filter={"trace_roots_only": True})
    (chat,) = plan.children()
    equal((plan.op_name, chat.op_name), ("plan", "chat"))
    equal(chat.inputs["input.value"], {"question": "Grüße 😀", "n": 2**70})
    equal(chat.output["output.value"], "plain text")
    equal(chat.summary["usage"]["a-model"], {"prompt_tokens": 11, "completion_tokens": 13, "total_tokens": 24})
    equal((chat.thread_id, chat.turn_id), ("chat-1", chat.id))
    equal(chat.exception, "ValueError: too far")
    equal(chat.attributes["otel_span"]["resource"]["attributes"]["service"]["name"], "tested")


@scenario("accepts compressed protobuf of the OpenTelemetry exporter with the project in a header")
def by_header(client):
    project = f"{client.entity}/{client.project}"
    traced(exporter(headers={"project_id": project}, compression=Compression.Gzip), {})
    check(client)


@scenario("takes the project from the resource of the spans")
def by_resource(client):
    traced(exporter(), {"wandb.entity": client.entity, "wandb.project": client.project})
    check(client)


@scenario("accepts the conversations that the client itself sends as spans")
def conversations(client):
    with weave.start_conversation(agent_name="helper"):
        with weave.start_turn(user_message="Hi"):
            with weave.start_llm(model="a-model") as llm:
                llm.output("Hello")
    client.flush()
    # The client sends these spans by another timer.
    deadline = time.monotonic() + 30
    while len(calls := list(client.get_calls())) < 2 and time.monotonic() < deadline:
        time.sleep(0.2)
    assert any(call.attributes.get("agent_name") == "helper" for call in calls), [c.attributes for c in calls]


run()
