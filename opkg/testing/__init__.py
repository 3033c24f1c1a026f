"""The harness that tests operators."""
