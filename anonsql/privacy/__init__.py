"""What is promised of equivalence classes besides k.

A privacy model is one file: what a policy may say of it, the criteria that it holds classes to, and
what a release says of it in words. :mod:`anonsql.privacy.base` says what a model is,
:mod:`anonsql.privacy.registry` names them all, :mod:`anonsql.privacy.promise` puts together what a
policy promises, and :mod:`anonsql.privacy.limits` counts what it allows to be suppressed.
"""
