"""Makes one of everything that the SDK has a link for, and prints the links as a program of a user would see them."""

import asyncio
import sys

import weave
from weave.flow.leaderboard import Leaderboard, LeaderboardColumn
from weave.flow.saved_view import SavedView
from weave.trace import urls

project = sys.argv[1]
loaded = sys.argv[2]
entity, name = project.split("/")
client = weave.init(project)


@weave.op
def shout(word: str) -> str:
    return f"{word}!"


@weave.op
def exact(word: str, output: str) -> dict:
    return {"correct": output == f"{word}!"}


with weave.thread("chat 1"):
    shout("a")
weave.publish(shout)
weave.publish({"temperature": 0.5}, name="settings")

@weave.op
def whisper(word: str) -> str:
    return f"{word}!" if word == "a" else word


dataset = [{"word": "a"}, {"word": "b"}, {"word": "c"}]
evaluation = weave.Evaluation(name="quality", dataset=dataset, scorers=[exact])
asyncio.run(evaluation.evaluate(shout))
asyncio.run(evaluation.evaluate(whisper))
column = LeaderboardColumn(
    evaluation_object_ref=weave.publish(evaluation).uri(),
    scorer_name="exact",
    summary_metric_path="correct.true_fraction",
)
board = Leaderboard(name="board", description="The loudest", columns=[column])
weave.publish(board, name="board")
print("conversation", urls.agent_conversation_path(entity, name, "chat 1"))
for kind in ("traces", "evaluations"):
    view = SavedView(kind, f"Python {kind}")
    if kind == "traces":
        view.add_filter("inputs.word", "equals", "a").add_columns("op_name", "inputs.word")
    print("view", view.save().ui_url())
client.flush()

if loaded:
    view = SavedView.load(f"weave:///{project}/object/{loaded}:latest")
    columns = [".".join(str(step) for step in column.path) for column in view.base.definition.columns]
    print("loaded", view.label, view.view_type, columns, len(list(view.get_calls())))
