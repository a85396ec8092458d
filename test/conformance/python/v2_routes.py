"""The client's methods for objects by class and for runs, predictions, scores and results of evaluations."""

import weave
from scenario import equal, run, scenario
from weave.flow import leaderboard as boards
from weave.flow.saved_view import SavedView
from weave.trace.builtin_object_classes import leaderboard

ROWS = [{"question": "2 + 2", "expected": "4"}, {"question": "1 + 1", "expected": "3"}]


@weave.op
def exact(expected: str, output: str) -> bool:
    return expected == output


@weave.op
def calculate(question: str) -> str:
    a, b = question.split(" + ")
    return str(int(a) + int(b))


def of(client, **fields) -> dict:
    return {"project_id": client.project_id, **fields}


def version(created) -> dict:
    return {"object_id": created.object_id, "digest": created.digest}


@scenario("creates objects of every class, lists and reads them, and deletes them")
def objects(client):
    server = client.server
    code = "def f():\n    return 1\n"
    op = server.op_create(of(client, name="f", source_code=code))
    equal((op.object_id, op.version_index), ("f", 0))
    equal(server.op_read(of(client, **version(op))).code, code)
    equal([one.digest for one in server.op_list(of(client))], [op.digest])

    dataset = server.dataset_create(of(client, name="sums", rows=ROWS))
    equal([dict(row) for row in weave.ref(f"sums:{dataset.digest}").get().rows], ROWS)
    (listed,) = server.dataset_list(of(client, limit=5))
    equal(listed.to_dict(), server.dataset_read(of(client, **version(dataset))).to_dict())

    scorer = server.scorer_create(of(client, name="s", op_source_code="import weave\n\n@weave.op\ndef score(output):\n    return 1\n"))
    equal(server.scorer_read(of(client, **version(scorer))).name, "s")
    evaluation = server.evaluation_create(
        of(client, name="e", dataset=f"weave:///{client.project_id}/object/sums:{dataset.digest}", scorers=[scorer.scorer])
    )
    read = weave.ref(evaluation.evaluation_ref).get(objectify=False)
    equal([dict(row) for row in read.dataset.rows], ROWS)
    equal(server.evaluation_read(of(client, **version(evaluation))).scorers, [scorer.scorer])
    model = server.model_create(of(client, name="m", source_code="class M: ...", attributes={"t": 0.5}))
    equal(server.model_read(of(client, **version(model))).attributes, {"t": 0.5})
    equal(server.model_delete(of(client, object_id="m", digests=[model.digest])).num_deleted, 1)
    equal(list(server.model_list(of(client))), [])


@scenario("lists the datasets and models that the client has published")
def published(client):
    weave.publish(weave.Dataset(name="mine", rows=weave.Table(ROWS)))
    weave.publish(weave.Dataset(name="mine", rows=weave.Table(ROWS[:1])))
    client.flush()

    listed = list(client.server.dataset_list(of(client)))
    equal([(one.object_id, one.name, one.version_index) for one in listed], [("mine", "mine", 0), ("mine", "mine", 1)])


@scenario("writes an evaluation by its methods, and reads its calls")
def written(client):
    server = client.server
    refs = {"evaluation": f"weave:///{client.project_id}/object/e:v0", "model": f"weave:///{client.project_id}/object/m:v0"}
    run_id = server.evaluation_run_create(of(client, **refs)).evaluation_run_id
    for row, value in zip(ROWS, [1.0, 0.5]):
        prediction = server.prediction_create(
            of(client, model=refs["model"], inputs=row, output=row["expected"], evaluation_run_id=run_id)
        ).prediction_id
        scorer = f"weave:///{client.project_id}/object/exact:v0"
        server.score_create(of(client, prediction_id=prediction, scorer=scorer, value=value, evaluation_run_id=run_id))
        assert server.prediction_finish(of(client, prediction_id=prediction)).success
    server.evaluation_run_finish(of(client, evaluation_run_id=run_id, summary={"note": "x"}))

    root = client.get_call(run_id)
    equal(dict(root.output["exact"]), {"mean": 0.75})
    equal(root.summary["note"], "x")
    trials = [call for call in root.children() if "predict_and_score" in call.op_name]
    equal([call.output["scores"]["exact"] for call in trials], [1, 0.5])
    equal(server.evaluation_run_read(of(client, evaluation_run_id=run_id)).status, "completed")
    (feedback,) = client.get_call(prediction).feedback
    equal(feedback.payload, {"output": 0.5})
    results = server.eval_results_query(of(client, evaluation_run_ids=[run_id], include_summary=True))
    equal(results.total_rows, 2)
    (summary,) = results.summary.evaluations
    equal([(one.scorer_key, one.numeric_mean) for one in summary.scorer_stats], [("exact", 0.75)])
    equal(server.evaluation_run_delete(of(client, evaluation_run_ids=[run_id])).num_deleted, 1)
    equal(list(client.get_calls()), [])


@scenario("reads an evaluation of the client by its methods, and as a row of a leaderboard")
async def evaluated(client):
    dataset = weave.Dataset(name="sums", rows=weave.Table(ROWS))
    evaluation = weave.Evaluation(name="sums-eval", dataset=dataset, scorers=[exact])
    await evaluation.evaluate(calculate)
    logger = weave.EvaluationLogger(name="by-hand", model="my-model", dataset="my-dataset")
    logger.log_prediction(inputs=ROWS[0], output="4").log_score("exact", True)
    logger.log_summary({})
    client.flush()

    server = client.server
    runs = list(server.evaluation_run_list(of(client)))
    equal([one.status for one in runs], ["completed", "completed"])
    by_client, by_hand = [one.evaluation_run_id for one in runs]
    predictions = list(server.prediction_list(of(client, evaluation_run_id=by_client)))
    equal(sorted(one.output for one in predictions), ["2", "4"])
    equal(sorted(one.value for one in server.score_list(of(client, evaluation_run_id=by_client))), [False, True])
    equal([one.value for one in server.score_list(of(client, evaluation_run_id=by_hand))], [True])
    results = server.eval_results_query(
        of(client, evaluation_call_ids=[by_client, by_hand], include_raw_data_rows=True, resolve_row_refs=True, require_intersection=True)
    )
    (row,) = results.rows
    equal(row.raw_data_row["question"], "2 + 2")
    equal([one.trials[0].scores for one in row.evaluations], [{"exact": True}, {"exact": True}])
    assert all(one.trials[0].predict_call_id and one.trials[0].scorer_call_ids["exact"] for one in row.evaluations)

    column = leaderboard.LeaderboardColumn(
        evaluation_object_ref=evaluation.ref.uri(), scorer_name="exact", summary_metric_path="true_fraction"
    )
    ref = weave.publish(leaderboard.Leaderboard(name="board", columns=[column]))
    client.flush()
    (ranked,) = boards.get_leaderboard_results(weave.ref(ref.uri()).get(), client)
    equal([score.value for score in ranked.column_scores[0].scores], [0.5])


@scenario("saves a view of calls, and the view that is loaded shows the same columns of the same calls")
def views(client):
    calculate("1 + 1")
    calculate("2 + 2")
    client.flush()
    # A view with a filter is stored as well, but this client cannot load it, from any server.
    view = SavedView("traces", "sums").add_columns("inputs.question", "output").save()

    loaded = SavedView.load(view.ref.uri())
    equal(loaded.base.label, "sums")
    equal([call.output for call in loaded.get_calls()], ["2", "4"])
    (stored,) = client._objects({"base_object_classes": ["SavedView"]})
    equal(stored.leaf_object_class, "SavedView")


run()
