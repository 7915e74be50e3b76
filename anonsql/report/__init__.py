"""The output of commands: JSON documents for programs, summaries for people."""
