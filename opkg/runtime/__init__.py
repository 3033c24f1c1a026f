"""Offline models, sessions, and operators called straight from Python."""
