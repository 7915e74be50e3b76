"""Services of the operating system: text files, standard streams, logs, memory, time."""
