"""Install roots: transactions that install, remove and verify packages."""
