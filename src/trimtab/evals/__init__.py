"""Measurements that a user can repeat: `trimtab eval ...`."""
