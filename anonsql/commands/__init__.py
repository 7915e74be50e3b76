"""The work of the commands, one module for each; ``run``, ``search`` and ``apply`` consist of a
job's stages only: see :mod:`anonsql.api`."""
