"""The commands, a package each: ``command`` does the work, ``document`` is its JSON, ``terminal``
its words, ``page`` and ``charts`` its page in a browser."""
