"""Methods of anonymization, a package each; those that several share are named for what they
compute."""
