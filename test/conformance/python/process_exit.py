"""A process that exits with an open call."""

from after_exit import check_after_exit
from scenario import run, scenario


@scenario("loses nothing of a process that exits without a flush and with an open call")
def exits(client):
    check_after_exit(client, "sent")


run()
