"""A process that ends in the middle of it."""

from left import left
from scenario import run, scenario


@scenario("loses nothing of a process that ends without flushing, with a call still open")
def leaves(client):
    left(client, "told")


run()
