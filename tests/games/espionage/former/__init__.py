"""The computer of before there were levels: the opponent by which `strength` measures."""
