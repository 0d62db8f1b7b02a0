"""What keeps a testbed from proving something, told before the first run; nothing is changed."""
