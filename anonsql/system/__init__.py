"""What the operating system gives: text files, standard streams, logs, memory, time; and what no
message may show."""
