"""What every use case stands on: a loaded match, time, files, refusals."""
