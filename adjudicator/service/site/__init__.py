"""The pages of a club as a folder that a web server serves."""
