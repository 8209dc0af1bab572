"""Emails that came in: collected, routed, carried out, answered. `reading.CHAIN` is the policy."""
