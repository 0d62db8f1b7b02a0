"""What can go wrong with a lab, told apart by whose fault it is."""


class LabError(Exception):
    """The lab itself could not do what was asked.

    The message is one sentence that names the remedy; the command line prints it and ends with
    `exit_code`.
    """

    exit_code = 70


class LabMistake(LabError):
    """The caller asked for something that there is not, or that makes no sense."""

    exit_code = 64


class Interrupted(Exception):
    """A signal asked the lab to stop before it was complete.

    Args:
        signal_number: the signal, whose number becomes part of the exit code as shells do it.
    """

    def __init__(self, signal_number: int) -> None:
        super().__init__(f"stopped by signal {signal_number}")
        self.exit_code = 128 + signal_number
