"""Evaluations: predictions, scores and their summary."""

import weave
from scenario import equal, run, scenario

ROWS = [
    {"question": "2 + 2", "expected": "4"},
    {"question": "3 + 3", "expected": "6"},
    {"question": "1 + 1", "expected": "3"},
]


class Calculator(weave.Model):
    name: str = "calculator"

    @weave.op
    def predict(self, question: str) -> str:
        a, b = question.split(" + ")
        return str(int(a) + int(b))


@weave.op
def exact(expected: str, output: str) -> dict:
    return {"match": expected == output}


class Length(weave.Scorer):
    @weave.op
    def score(self, output: str) -> int:
        return len(output)


def op_of(call) -> str:
    return call.op_name.split("/op/")[1].split(":")[0]


@scenario("runs an evaluation and stores its predictions, scores and summary")
async def evaluates(client):
    dataset = weave.Dataset(name="sums", rows=weave.Table(ROWS))
    evaluation = weave.Evaluation(name="sums-eval", dataset=dataset, scorers=[exact, Length(name="Length")])
    summary = await evaluation.evaluate(Calculator())
    client.flush()

    equal(summary["exact"]["match"], {"true_count": 2, "true_fraction": 2 / 3})
    equal(summary["Length"]["mean"], 1.0)
    (root,) = client.get_calls(filter={"trace_roots_only": True})
    equal(op_of(root), "Evaluation.evaluate")
    equal(root.output["exact"]["match"]["true_count"], 2)
    calls = list(client.get_calls(filter={"trace_ids": [root.trace_id]}))
    names = [op_of(call) for call in calls]
    equal({name: names.count(name) for name in set(names)}, {
        "Evaluation.evaluate": 1,
        "Evaluation.predict_and_score": 3,
        "Calculator.predict": 3,
        "exact": 3,
        "Length.score": 3,
        "Scorer.summarize": 1,
        "Evaluation.summarize": 1,
    })
    predictions = [call for call in calls if op_of(call) == "Calculator.predict"]
    equal(sorted(call.output for call in predictions), ["2", "4", "6"])
    said = list(predictions[0].feedback)
    equal({one.feedback_type for one in said}, {"wandb.runnable.exact", "wandb.runnable.Length"})
    scored = [call for call in calls if op_of(call) == "Evaluation.predict_and_score"]
    equal(sorted(call.output["scores"]["exact"]["match"] for call in scored), [False, True, True])
    assert all("/object/sums:" in call.inputs["example"].ref.uri() for call in scored)


@scenario("reads back an evaluation, its runs and its scores")
async def reads_back(client):
    dataset = weave.Dataset(name="sums", rows=weave.Table(ROWS))
    evaluation = weave.Evaluation(name="sums-eval", dataset=dataset, scorers=[exact])
    await evaluation.evaluate(Calculator())
    await evaluation.evaluate(Calculator(name="again"))
    client.flush()

    runs = list(evaluation.get_evaluate_calls())
    equal([run.output["exact"]["match"]["true_count"] for run in runs], [2, 2])
    scores = evaluation.get_scores()
    equal(set(scores), {run.trace_id for run in runs})
    for of_run in scores.values():
        ((name, values),) = of_run.items()
        assert "exact" in name, name
        equal(sorted(value["match"] for value in values), [False, True, True])
    # Read as plain data: to make an Evaluation of it the client needs the packages of all its scorers.
    read = weave.ref(evaluation.ref.uri()).get(objectify=False)
    equal([row["question"] for row in read.dataset.rows], [row["question"] for row in ROWS])


@scenario("logs an evaluation step by step")
def logged(client):
    logger = weave.EvaluationLogger(name="by-hand", model="my-model", dataset="my-dataset")
    for row in ROWS:
        prediction = logger.log_prediction(inputs=row, output=row["expected"])
        prediction.log_score("right", True)
        prediction.log_score("length", len(row["expected"]))
        prediction.finish()
    logger.log_summary({"verdict": "fine"})
    client.flush()

    (root,) = client.get_calls(filter={"trace_roots_only": True})
    equal(op_of(root), "Evaluation.evaluate")
    equal(root.output["output"], {"verdict": "fine"})
    equal(root.output["right"], {"true_count": 3, "true_fraction": 1.0})
    calls = list(client.get_calls(filter={"trace_ids": [root.trace_id]}))
    scored = [call for call in calls if op_of(call) == "Evaluation.predict_and_score"]
    equal(len(scored), 3)
    equal(scored[0].output["scores"], {"right": True, "length": 1})


run()
