"""What the commands do, one module for each. ``run``, ``search`` and ``apply`` have none, as they
only go through the stages of a job: see :mod:`anonsql.api`."""
