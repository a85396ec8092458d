"""Feedback of people and scorers on calls, and the cost of calls."""

from decimal import Decimal

import weave
from models import post
from scenario import equal, run, scenario


def a_call(client):
    @weave.op
    def answer(question: str) -> str:
        return question.upper()

    _, call = answer.call("why")
    client.flush()
    return client.get_call(call.id)


@scenario("stores reactions, notes and custom feedback, and purges one of them")
def reactions(client):
    call = a_call(client)
    thumb = call.feedback.add_reaction("👍", creator="Ada")
    note = call.feedback.add_note("well said")
    own = call.feedback.add("correctness", {"value": 4, "why": {"deep": [1, 2]}})
    client.flush()

    said = {one.id: one for one in call.feedback.refresh()}
    equal(set(said), {thumb, note, own})
    equal(said[thumb].payload["emoji"], "👍")
    equal(said[thumb].payload["alias"], ":thumbs_up:")
    equal(said[thumb].creator, "Ada")
    equal(said[note].payload, {"note": "well said"})
    equal(said[own].feedback_type, "correctness")
    equal(said[own].payload, {"value": 4, "why": {"deep": [1, 2]}})
    equal(len(client.get_feedback(reaction="👍")), 1)
    equal(len(client.get_feedback(reaction="👎")), 0)
    equal([one.id for one in client.get_feedback(own)], [own])

    call.feedback.purge(note)
    equal({one.id for one in call.feedback.refresh()}, {thumb, own})
    (with_feedback,) = client.get_calls(include_feedback=True)
    equal({one["id"] for one in with_feedback.summary["weave"]["feedback"]}, {thumb, own})


@scenario("finds calls by their feedback")
def found(client):
    @weave.op
    def rate(n: int) -> int:
        return n

    for n in range(3):
        _, call = rate.call(n)
        call.feedback.add("rating", {"stars": n})
    client.flush()
    high = {"$expr": {"$gte": [{"$getField": "feedback.[rating].payload.stars"}, {"$literal": 1}]}}
    equal([call.output for call in client.get_calls(query=high)], [1, 2])
    down = [{"field": "feedback.[rating].payload.stars", "direction": "desc"}]
    equal([call.output for call in client.get_calls(sort_by=down)], [2, 1, 0])


@scenario("stores the results of scorers on the call they scored")
async def scorers(client):
    @weave.op
    def shout(text: str) -> str:
        return text.upper()

    @weave.op
    def is_loud(output: str) -> dict:
        return {"loud": output.isupper()}

    class Length(weave.Scorer):
        limit: int

        @weave.op
        def score(self, output: str) -> bool:
            return len(output) <= self.limit

    _, call = shout.call("hey")
    loud = await call.apply_scorer(is_loud)
    short = await call.apply_scorer(Length(name="Length", limit=2))
    client.flush()

    equal((loud.result, short.result), ({"loud": True}, False))
    said = {one.feedback_type: one for one in client.get_call(call.id).feedback}
    equal(set(said), {"wandb.runnable.is_loud", "wandb.runnable.Length"})
    equal(said["wandb.runnable.is_loud"].payload["output"], {"loud": True})
    assert said["wandb.runnable.is_loud"].call_ref.endswith(loud.score_call.id)
    (scored,) = client.get_calls(scored_by="is_loud")
    equal(scored.id, call.id)


def spend(client, model: str, prompt: int, completion: int) -> str:
    call = client.create_call("chat", {"model": model})
    call.summary = {"usage": {model: {"requests": 1, "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}}}
    client.finish_call(call, output="…")
    client.flush()
    return call.id


def total_of(cost) -> Decimal:
    return sum(Decimal(str(value)) for name, value in cost.items() if name.endswith("_total_cost"))


@scenario("adds prices, lists them, and purges them")
def prices(client):
    added = client.add_cost(llm_id="my-model", prompt_token_cost=0.01, completion_token_cost=0.02)
    ((llm_id, cost_id),) = added.ids
    equal(llm_id, "my-model")
    (price,) = client.query_costs()
    equal((price.id, price.llm_id, price.prompt_token_cost, price.completion_token_cost), (cost_id, "my-model", 0.01, 0.02))
    equal(len(client.query_costs(llm_ids=["another"])), 0)
    equal(len(client.query_costs(cost_id)), 1)
    client.purge_costs(cost_id)
    equal(client.query_costs(), [])


@scenario("computes costs with the project's own prices and with the default prices")
def priced(client):
    client.add_cost(llm_id="my-model", prompt_token_cost=0.01, completion_token_cost=0.02)
    own = spend(client, "my-model", 100, 10)
    known = spend(client, "gpt-4o", 1000, 100)
    unknown = spend(client, "an-unknown-model", 5, 5)
    costs = {call.id: call.summary["weave"].get("costs") for call in client.get_calls(include_costs=True)}
    assert abs(costs[own]["my-model"]["prompt_tokens_total_cost"] - 1.0) < 1e-9, costs[own]
    assert abs(costs[own]["my-model"]["completion_tokens_total_cost"] - 0.2) < 1e-9, costs[own]
    assert costs[known]["gpt-4o"]["prompt_tokens_total_cost"] > 0, costs[known]
    assert not costs[unknown], costs[unknown]
    # The report of the server has the same sums, to the last digit.
    rows = post("costs/report", client, group_by=["model"])["results"]
    reported = {row["model"]: Decimal(str(row["total_cost"])) for row in rows if row["total_cost"] is not None}
    equal(reported, {model: total_of(cost) for one in costs.values() for model, cost in (one or {}).items()})
    plain = client.get_call(own)
    assert "costs" not in plain.summary["weave"], plain.summary


run()
