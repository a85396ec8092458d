"""Calls that the integrations of LiteLLM and LangChain make, with a model server that answers from memory.

Both frameworks use a client that the SDK traces as well, so that one request is reported by several calls.
"""

import os

# LiteLLM downloads its own prices otherwise.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm  # noqa: E402
import weave  # noqa: E402
from langchain_core.output_parsers import StrOutputParser  # noqa: E402
from langchain_core.prompts import ChatPromptTemplate  # noqa: E402
from langchain_openai import ChatOpenAI  # noqa: E402
from models import MODELS, billed, set_price  # noqa: E402
from scenario import equal, run, scenario  # noqa: E402

MESSAGES = [{"role": "user", "content": "Hi"}]


def nested(call) -> list:
    """The names of the calls under a call, as they are nested."""
    children = sorted(call.children(), key=lambda child: child.started_at)
    return [[child.op_name.split("/op/")[1].split(":")[0], nested(child)] for child in children]


def usages(call, model: str, names: list[str]) -> list[tuple]:
    """The tokens that the calls under a call report for the model."""
    usage = (call.summary.get("usage") or {}).get(model)
    own = [] if usage is None else [tuple(usage[name] for name in names)]
    return own + [tokens for child in call.children() for tokens in usages(child, model, names)]


def check(client, model: str, names: list, tokens: dict, cost: float) -> None:
    client.flush()
    (root,) = client.get_calls(filter={"trace_roots_only": True})
    equal(nested(root), names)
    found = usages(root, model, list(tokens))
    assert found and set(found) == {tuple(tokens.values())}, found
    equal(billed(client), [(model, 1, cost)])


@scenario("traces LiteLLM with a model of OpenAI, and bills the request once")
def litellm_of_openai(client):
    set_price(client, "gpt-x")

    @weave.op
    def chat():
        made = litellm.completion(model="openai/gpt-x", messages=MESSAGES, api_base=f"{MODELS}/v1", api_key="x")
        return made.choices[0].message.content

    equal(chat(), "Hello")
    tokens = {"prompt_tokens": 1000, "completion_tokens": 7, "cache_read_input_tokens": 400}
    names = [["litellm.completion", [["openai.chat.completions.create", []]]]]
    # 600 × 0.000003 + 400 × 0.0000003 + 7 × 0.000015
    check(client, "gpt-x", names, tokens, 0.002025)


@scenario("traces LiteLLM with a model of Anthropic, with tokens read from and written to the cache")
def litellm_of_anthropic(client):
    set_price(client, "claude-x")

    @weave.op
    def chat():
        made = litellm.completion(model="anthropic/claude-x", messages=MESSAGES, api_base=MODELS, api_key="x")
        return made.choices[0].message.content

    equal(chat(), "Hello")
    tokens = {
        "prompt_tokens": 550,
        "completion_tokens": 7,
        "cache_read_input_tokens": 400,
        "cache_creation_input_tokens": 50,
    }
    # 100 × 0.000003 + 400 × 0.0000003 + 50 × 0.00000375 + 7 × 0.000015
    check(client, "claude-x", [["litellm.completion", []]], tokens, 0.0007125)


@scenario("traces the steps of a chain of LangChain, and bills the request of its model once")
def langchain(client):
    set_price(client, "gpt-x")

    @weave.op
    def chat():
        model = ChatOpenAI(model="gpt-x", base_url=f"{MODELS}/v1", api_key="x")
        chain = ChatPromptTemplate.from_messages([("user", "{text}")]) | model | StrOutputParser()
        return chain.invoke({"text": "Hi"})

    equal(chat(), "Hello")
    steps = [
        ["langchain.Prompt.ChatPromptTemplate", []],
        ["langchain.Llm.ChatOpenAI", [["openai.chat.completions.create", []]]],
        ["langchain.Parser.StrOutputParser", []],
    ]
    tokens = {"prompt_tokens": 1000, "completion_tokens": 7, "cache_read_input_tokens": 400}
    check(client, "gpt-x", [["langchain.Chain.RunnableSequence", steps]], tokens, 0.002025)


run()
