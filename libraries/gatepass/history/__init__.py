"""The record: every ended run in one SQLite file, and what it says of a gateway and of a fleet.

`store` keeps it, `series` reads it, `changes` finds what is larger than the spread of the runs,
`differences` says what else changed then, `fleet` holds gateways beside each other, `view` and
`tables` show it, `command` is ``./run.sh history``.
"""
