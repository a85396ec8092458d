"""A process that exits with an open call whose start was not sent. The client waits for five minutes."""

from after_exit import check_after_exit
from scenario import run, scenario


@scenario("stores a call that was open when the process exited, once the client has stopped waiting for its end")
def exits(client):
    check_after_exit(client, "unsent")


run()
