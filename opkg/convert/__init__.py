"""From a model of another framework to an offline model."""
