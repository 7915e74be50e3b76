"""What the documents, terminals and pages of several commands share."""
