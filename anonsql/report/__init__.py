"""What a command says: documents for programs, a summary for people."""
