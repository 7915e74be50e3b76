"""What the commands do, a package each: ``command`` does it, ``document`` is its JSON, ``terminal``
its words, ``page`` and ``charts`` what a browser shows."""
