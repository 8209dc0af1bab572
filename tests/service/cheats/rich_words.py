"""What people write in a rich club, and what its game master agrees and changes."""

from tests.service.cheats.honest import BANKS

SHOWN = ("HELP", "STATUS", "REPORT", "REPORT 1", "TEMPLATE", "PREFS", "GAMES", "PING", "TABLE cup")
WISHES = (
    *("PREFS LETTERS DAILY", "PREFS LETTERS EACH", "PREFS REMINDERS DAILY", "PREFS REMINDERS OFF"),
    *("PREFS PAGE NONE", "PREFS PAGE LINK", "PREFS PAGE ATTACHED", "PREFS REPORTS ALL"),
    *("PREFS RECEIPTS SHORT", "PREFS TIPS ON", "PREFS TIPS OFF", "PREFS SUBSTITUTE ON"),
    *("LANGUAGE nb", "LANGUAGE sv", "LANGUAGE en", "ZONE Asia/Kolkata", "ZONE America/New_York"),
)
WORDS = ("Hello, how are you all? I like this.", "Is c3 safe?", "Whose turn is it, please?")
PRESS = ("Shall we?", "Så långt, så gott — ja!", "> quoted\nmine", "c3-c4 would be good for you.")
CHANGES = (
    *("deadline=every 2 days", "deadline=every 12 hours", "skip=Sat,Sun", "press=off", "press=all"),
    *("absence=gm", "absence=forfeit", "settle=2 hours", "settle=0", "grace=6 hours", "excused=2"),
    *("substitutes=on", "level=confirm", "level=token", "press_when=report", "reminders=off"),
    *("bank=2 days + 3 hours", "leave=auto", "leave=none", "timezone=America/New_York"),
    *("deadline=Tue,Fri 18:00", "reliable=0", "onlookers=2", "bank=none", "hold_on_bounce=true"),
)
TERMS = (
    *("absence=forfeit", "absence=gm", "settle=1 hour", "grace=12 hours", "excused=1"),
    *("substitutes=on", "level=confirm", "level=token", "press=unsigned", "press_when=report"),
    *("press=all", "names=hidden", "leave=auto", "leave=none", "skip=Sun", "reminders=off"),
    *(BANKS[0], BANKS[1], "hold_on_bounce=true", "memory=once", "memory=open", "onlookers=1"),
)
DEADLINES = ("every 1 day", "every 3 days", "every 36 hours", "Tue,Fri 18:00", "none")
