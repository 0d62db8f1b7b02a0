"""The FortiOS command line, as far as configuration files and scripts use it."""
