"""The index of every operator this process can use, and how one is chosen."""
