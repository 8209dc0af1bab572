"""Tell one seat what it may know: as a value, as stored, as printed."""
