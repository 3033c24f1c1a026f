"""Building projects into packages."""
