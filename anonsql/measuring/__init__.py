"""How much of the source a release still tells, whatever method made it: of a published one ``anonsql measure``."""

from anonsql.measuring.command import measure
from anonsql.measuring.workload import Asked

__all__ = ["Asked", "measure"]
