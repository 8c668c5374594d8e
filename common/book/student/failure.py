"""What goes wrong, in words for the student."""


class Failure(Exception):
    """A message for the student: what is wrong, where, and what to do."""


class NotBuilt(Failure):
    """What the compiler said, to be shown as it is."""
