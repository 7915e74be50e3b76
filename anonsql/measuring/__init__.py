"""``anonsql measure``: how much of the source a published release still tells, whatever method made it."""

from anonsql.measuring.comparing import Asked, measure

__all__ = ["Asked", "measure"]
