"""The rows that the templates print, made from what a seat sees."""
