"""Letters on their way out: they are written and handed over, and the operator works on their
queue."""
