"""A process that ends in the middle of it, with a call of which the server has not heard: five minutes of waiting."""

from left import left
from scenario import run, scenario


@scenario("hears, once the client has waited for its end, of a call that was open when the process ended")
def leaves(client):
    left(client, "untold")


run()
