"""Privacy models besides k: one file for each, with what a policy may say of it and the criteria it
holds equivalence classes to. :mod:`anonsql.privacy.base` says what a model is,
:mod:`anonsql.privacy.registry` names them all."""
