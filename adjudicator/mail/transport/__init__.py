"""The ways of emails in and out: pipes, mailboxes, servers."""
