"""Templates that Jinja has compiled, kept for the next run: to compile them takes a quarter of a
tick that does little else."""

import os
import secrets
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from jinja2.bccache import Bucket, BytecodeCache


class CompiledTemplates(BytecodeCache):
    """A folder of files that may be deleted at any time. What cannot be kept is compiled again.

    What is compiled depends on a template and on `made_with`. A file that Jinja finds to be of
    another template, or of another Python, it compiles anew.
    """

    def __init__(self, folder: Path, made_with: bytes) -> None:
        self._folder = folder
        self._made_with = sha256(made_with).hexdigest()[:16]

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError), self._path(bucket).open("rb") as file:
            bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        path = self._path(bucket)
        unfinished = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        with suppress(OSError):
            try:
                unfinished.write_bytes(bucket.bytecode_to_string())
                unfinished.replace(path)
            finally:
                unfinished.unlink(missing_ok=True)

    def _path(self, bucket: Bucket) -> Path:
        return self._folder / f"{bucket.key}.{self._made_with}"


def kept_in(folder: Path, made_with: bytes) -> CompiledTemplates | None:
    """Return what is kept in a folder; None if it cannot be made, or is not this user's alone, for
    whoever writes there could run anything in his name."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError:
        return None
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o022:
        return None
    return CompiledTemplates(folder, made_with)
