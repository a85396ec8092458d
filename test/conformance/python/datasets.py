"""Tables and files: large data is read back unchanged."""

import os
import tempfile

import weave
from PIL import Image
from scenario import equal, run, scenario


@scenario("publishes a dataset and reads its rows in order, one by one and all at once")
def datasets(client):
    rows = [{"n": n, "text": f"row {n}"} for n in range(250)]
    ref = weave.publish(weave.Dataset(name="numbers", rows=weave.Table(rows)))
    back = weave.ref(ref.uri()).get()
    equal(len(back), 250)
    equal([row["n"] for row in back], list(range(250)))
    equal(back[249]["text"], "row 249")
    equal(back[7].ref.get()["text"], "row 7")


@scenario("appends to a dataset as a new version and keeps the old one")
def appends(client):
    first = weave.publish(weave.Dataset(name="grows", rows=weave.Table([{"n": 0}, {"n": 1}])))
    grown = weave.ref(first.uri()).get().add_rows([{"n": 2}, {"n": 3}])
    equal([row["n"] for row in grown], [0, 1, 2, 3])
    client.flush()
    equal([row["n"] for row in weave.ref("grows:latest").get()], [0, 1, 2, 3])
    equal([row["n"] for row in weave.ref("grows:v0").get()], [0, 1])


@scenario("uploads a table of thousands of rows in pieces")
def large_table(client):
    rows = [{"n": n, "text": "x" * 200} for n in range(2_500)]
    ref = weave.publish(weave.Dataset(name="large", rows=weave.Table(rows)))
    client.flush()
    back = weave.ref(ref.uri()).get()
    equal(len(back), 2_500)
    equal(back[2_499]["n"], 2_499)
    equal([row["n"] for row in back], list(range(2_500)))


@scenario("stores images, files and content of calls byte for byte")
def content(client):
    pixels = Image.new("RGB", (4, 3), (200, 10, 30))
    data = bytes(range(256)) * 64

    @weave.op
    def draw(colour: str) -> dict:
        return {"image": pixels, "content": weave.Content.from_bytes(data, extension="bin"), "colour": colour}

    draw("red")
    client.flush()
    (call,) = client.get_calls()
    equal(call.output["colour"], "red")
    image = call.output["image"]
    equal((image.size, image.getpixel((0, 0))), ((4, 3), (200, 10, 30)))
    equal(call.output["content"].data, data)

    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "notes.txt")
        with open(path, "w") as file:
            file.write("kept as it is\n")
        ref = weave.publish(weave.Content.from_path(path), "notes")
    client.flush()
    equal(weave.ref(ref.uri()).get().as_string(), "kept as it is\n")


run()
