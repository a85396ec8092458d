"""Spans of the OpenTelemetry SDK are sent by its own exporter and read back through the client."""

import base64
import json
import os
import time

import httpx
import weave
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from scenario import equal, run, scenario
from weave.vendor.weave_server_sdk import Client


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


@scenario("counts the tokens of OpenInference attributes")
def open_inference(client):
    provider = TracerProvider()
    sent_by = exporter(headers={"project_id": f"{client.entity}/{client.project}"})
    provider.add_span_processor(BatchSpanProcessor(sent_by))
    tokens = {"prompt": 10, "completion": 4, "total": 14, "prompt_details.cache_read": 3}
    with provider.get_tracer("conformance").start_as_current_span("reply") as span:
        span.set_attributes({f"llm.token_count.{name}": count for name, count in tokens.items()})
        span.set_attributes({"openinference.span.kind": "LLM", "llm.model_name": "another-model"})
        span.set_attributes({"input.value": "Hello?", "output.value": "Hello.", "session.id": "a-session"})
    assert provider.force_flush()
    provider.shutdown()
    (call,) = client.get_calls()
    usage = call.summary["usage"]["another-model"]
    names = ("prompt_tokens", "completion_tokens", "cache_read_input_tokens")
    equal([usage[name] for name in names], [10, 4, 3])
    equal(call.thread_id, "a-session")


def server() -> Client:
    """The generated client of the SDK, which checks the types of responses."""
    return Client(
        base_url=f"{os.environ['WANDB_BASE_URL']}/traces", username="api", password=os.environ["WANDB_API_KEY"]
    )


def spans_of(client, count: int) -> list:
    """The SDK sends spans by a timer of its own."""
    client.flush()
    project = f"{client.entity}/{client.project}"
    deadline = time.monotonic() + 120
    while True:
        spans = server().agents.spans.query(project_id=project, include_costs=True).spans
        if len(spans) >= count or time.monotonic() > deadline:
            equal(len(spans), count)
            return spans
        time.sleep(0.2)


@scenario("keeps the conversations that the client sends as spans apart from calls")
def conversations(client):
    project = f"{client.entity}/{client.project}"
    client.add_cost(llm_id="a-model", prompt_token_cost=0.5, completion_token_cost=2)
    with weave.start_conversation(agent_name="helper", conversation_id="talk"):
        with weave.start_turn(user_message="Hi"):
            with weave.start_llm(model="a-model") as llm:
                llm.record(usage=weave.Usage(input_tokens=10, output_tokens=3))
                llm.output("Hello")
    spans = spans_of(client, 2)
    equal(list(client.get_calls()), [])
    (chat,) = [span for span in spans if span.operation_name == "chat"]
    equal((chat.conversation_id, chat.request_model, chat.input_tokens), ("talk", "a-model", 10))
    equal((chat.output_messages[0].content, chat.total_cost_usd), ("Hello", 11.0))
    agents = server().agents
    (agent,) = agents.query(project_id=project).agents
    equal((agent.agent_name, agent.invocation_count), ("helper", 1))
    (turn,) = agents.conversations.chat(project_id=project, conversation_id="talk").turns
    texts = [message.assistant_message.text for message in turn.messages if message.type == "assistant_message"]
    equal((texts, turn.total_cost_usd), (["Hello"], 11.0))
    equal(agents.search(project_id=project, query="hello").total_conversations, 1)


@scenario("bills a request once that is a call and a span inside of it")
def billed_once(client):
    project = f"{client.entity}/{client.project}"
    client.add_cost(llm_id="a-model", prompt_token_cost=0.5, completion_token_cost=2)

    @weave.op
    def request():
        weave.require_current_call().summary = {
            "usage": {"a-model": {"requests": 1, "input_tokens": 10, "output_tokens": 3}}
        }
        with weave.start_conversation(agent_name="helper"):
            with weave.start_turn(user_message="Hi"):
                with weave.start_llm(model="a-model") as llm:
                    llm.record(usage=weave.Usage(input_tokens=10, output_tokens=3))

    _, call = request.call()
    spans = spans_of(client, 2)
    equal({(span.parent_call_id, span.parent_call_trace_id) for span in spans}, {(call.id, call.trace_id)})
    report = httpx.post(
        f"{os.environ['WANDB_BASE_URL']}/costs/report",
        json={"project_id": project, "group_by": ["model"]},
        auth=("api", os.environ["WANDB_API_KEY"]),
    ).json()["results"]
    equal([(row["model"], row["requests"], row["total_cost"]) for row in report], [("a-model", 1, 11)])


run()
