"""Finds hard-swish in models and makes it one operator."""
