"""Letters on their way out: written, handed over, and worked on by the operator."""
