"""Makes one of everything that the SDK has a link for, and prints the links as a program of a user would see them."""

import asyncio
import sys

import weave
from weave.flow.leaderboard import Leaderboard
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
def exact(output: str) -> dict:
    return {"correct": output == "a!"}


with weave.thread("chat 1"):
    shout("a")
weave.publish(shout)
weave.publish({"temperature": 0.5}, name="settings")

evaluation = weave.Evaluation(name="quality", dataset=[{"word": "a"}], scorers=[exact])
asyncio.run(evaluation.evaluate(shout))
weave.publish(Leaderboard(name="board", description="The loudest", columns=[]), name="board")
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
