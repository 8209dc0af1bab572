"""The key that signs seat addresses: a file outside the database, readable by its owner only.

One key a line, `id hex`; the first signs, the others still open what they signed.
"""

import os
import secrets
from pathlib import Path

from adjudicator.core.message import say
from adjudicator.mail.address import Key
from adjudicator.service import files
from adjudicator.service.refusal import Refusal


def create(path: Path) -> bool:
    """Make a key if there is no file; False when there was one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with files.aside(path) as unfinished:
        with files.durable(unfinished) as file:
            file.write(f"k1 {secrets.token_hex(32)}\n".encode())
        try:
            os.link(unfinished, path)  # whole, and never over one that is there
        except FileExistsError:
            return False
    return True


def read(path: Path) -> tuple[Key, ...]:
    """Raises Refusal where there is no usable key."""
    try:
        lines = path.read_text("ascii").split("\n")
    except FileNotFoundError:
        raise Refusal(
            say("there is no key at {path}; `adjud init` makes one", path=str(path))
        ) from None
    except (OSError, UnicodeDecodeError):
        raise Refusal(say("the key at {path} cannot be read", path=str(path))) from None
    keys = []
    for number, line in enumerate((line.split() for line in lines), start=1):
        if not line:
            continue
        try:
            name, secret = line
            keys.append(Key(id=name, secret=bytes.fromhex(secret)))
        except ValueError:
            raise Refusal(
                say(
                    "{path}, line {line}: a key is a name and hex digits",
                    path=str(path),
                    line=number,
                )
            ) from None
    if not keys or any(len(key.secret) < 16 for key in keys):
        raise Refusal(say("{path} holds no key of 16 bytes or more", path=str(path)))
    return tuple(keys)
