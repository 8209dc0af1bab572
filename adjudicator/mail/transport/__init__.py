"""The ways of letters in and out: pipes, mailboxes, servers."""
