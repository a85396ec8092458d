"""Calls that the integrations of the client make by themselves, with a model server that answers from memory."""

import weave
from anthropic import Anthropic
from models import MODELS, check, set_price
from openai import OpenAI
from scenario import equal, run, scenario


@scenario("traces OpenAI's client, with cached tokens at their price")
def openai(client):
    set_price(client, "gpt-x")

    @weave.op
    def chat():
        messages = [{"role": "user", "content": "Hi"}]
        made = OpenAI(base_url=f"{MODELS}/v1", api_key="x").chat.completions.create(model="gpt-x", messages=messages)
        return made.choices[0].message.content

    equal(chat(), "Hello")
    # 600 × 0.000003 + 400 × 0.0000003 + 7 × 0.000015
    check(client, "openai", "gpt-x", {"prompt_tokens": 1000, "completion_tokens": 7}, 0.002025)


@scenario("traces Anthropic's client, with tokens read from and written to the cache")
def anthropic(client):
    set_price(client, "claude-x")

    @weave.op
    def chat():
        messages = [{"role": "user", "content": "Hi"}]
        made = Anthropic(base_url=MODELS, api_key="x").messages.create(model="claude-x", max_tokens=9, messages=messages)
        return made.content[0].text

    equal(chat(), "Hello")
    # The client adds the cached tokens to the input. 100 × 0.000003 + 400 × 0.0000003 + 50 × 0.00000375 + 7 × 0.000015
    check(client, "anthropic", "claude-x", {"input_tokens": 550, "output_tokens": 7}, 0.0007125)


run()
