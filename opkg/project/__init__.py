"""Reading and making operator projects."""
