"""A model server that answers from memory, and what every program with it checks."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
from scenario import equal

OPENAI = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1772359200,
    "model": "gpt-x",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello"}}],
    "usage": {
        "prompt_tokens": 1000,
        "completion_tokens": 7,
        "total_tokens": 1007,
        "prompt_tokens_details": {"cached_tokens": 400},
    },
}
ANTHROPIC = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [{"type": "text", "text": "Hello"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 100,
        "output_tokens": 7,
        "cache_read_input_tokens": 400,
        "cache_creation_input_tokens": 50,
    },
}


class Models(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        body = json.dumps(ANTHROPIC if self.path.endswith("/messages") else OPENAI).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Models)
threading.Thread(target=server.serve_forever, daemon=True).start()
MODELS = f"http://127.0.0.1:{server.server_port}"


def post(path: str, client, **body) -> dict:
    return httpx.post(
        f"{os.environ['WANDB_BASE_URL']}/{path}",
        json={"project_id": f"{client.entity}/{client.project}", **body},
        auth=("api", os.environ["WANDB_API_KEY"]),
    ).json()


def set_price(client, model: str) -> None:
    price = {
        "prompt_token_cost": 0.000003,
        "completion_token_cost": 0.000015,
        "cache_read_input_token_cost": 0.0000003,
        "cache_creation_input_token_cost": 0.00000375,
        "effective_date": "2020-01-01T00:00:00Z",
    }
    post("cost/create", client, costs={model: price})


def check(client, op: str, model: str, counts: dict, cost: float) -> None:
    """The call of the model is the child of the op, and every request is billed once, to the last digit."""
    client.flush()
    (root,) = client.get_calls(filter={"trace_roots_only": True})
    (call,) = root.children()
    assert op in call.op_name, call.op_name
    usage = call.summary["usage"][model]
    equal({name: usage[name] for name in counts}, counts)
    equal(billed(client), [(model, 1, cost)])


def billed(client) -> list[tuple]:
    """The requests and costs of the project by model."""
    rows = post("costs/report", client, group_by=["model"])["results"]
    return [(row["model"], row["requests"], row["total_cost"]) for row in rows]
