"""The ground on which every use case stands: a loaded match, time, files, refusals."""
