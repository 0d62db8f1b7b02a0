"""The packet filter and the queues."""
