"""The doctor: everything that can be wrong with an installation, each thing one check."""
