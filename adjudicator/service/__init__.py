"""Use cases: gather, call the core, save; one module each. Time and chance are arguments."""
