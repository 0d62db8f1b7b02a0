"""The three ways in which a check or a call ends without a verdict on the gateway.

A wrong gateway is an ``AssertionError``. The exceptions here say that nothing was learned about
the gateway: the call was wrong, the rig could not tell, or the order does not ask.
"""

from gatepass.base.phrase import Phrase, say


class InputError(Exception):
    """A mistake in the call or in an input file; the message is the whole sentence for the user.

    The command line prints the message alone and ends with exit code 64.
    """


class _Skip(Exception):
    """Ends a Robot test as skipped, with a reason that begins with the verdict's name.

    Robot reads the two attributes from the exception's class, so nothing of Robot is imported.
    """

    ROBOT_SKIP_EXECUTION = True
    ROBOT_SUPPRESS_NAME = True
    verdict = ""

    def __init__(self, reason: str | Phrase) -> None:
        prefix = f"{self.verdict}: "
        super().__init__(prefix + str(reason).removeprefix(prefix))
        self.reason = reason if isinstance(reason, Phrase) else say("as_it_stands", text=reason)


class NotProven(_Skip):
    """The rig cannot tell, so the check neither passed nor failed."""

    verdict = "Not proven"


class NotApplicable(_Skip):
    """The order does not include what the check asks for, or the device's version lacks it."""

    verdict = "Not applicable"
