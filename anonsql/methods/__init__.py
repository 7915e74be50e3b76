"""Methods of anonymization, a package each; modules that several share are named for what they
compute."""
