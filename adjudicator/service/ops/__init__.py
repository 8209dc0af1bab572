"""The tick, the doctor, backups, the demo."""
