"""The kind of disk on which a file is, as Linux tells it."""

import os
import re
from pathlib import Path

MOUNTINFO = Path("/proc/self/mountinfo")

# Several machines can have them open at once. SQLite's log (WAL) needs memory that all its users
# share (https://sqlite.org/wal.html), and locks that can be relied on.
OF_NETWORKS = {"9p", "afs", "beegfs", "ceph", "cifs", "coda", "gfs2", "gpfs", "lustre", "ncpfs"} | {
    *("nfs", "nfs4", "ocfs2", "orangefs", "smb3", "smbfs", "fuse.ceph", "fuse.glusterfs"),
    *("fuse.rclone", "fuse.s3fs", "fuse.sshfs"),
}


def kind_of(path: Path) -> str:
    """Return the kind of file system, such as ext4; empty where the system does not say."""
    try:
        text = os.fsdecode(MOUNTINFO.read_bytes())
    except OSError:  # not Linux
        return ""
    return kind_in(text, Path(os.path.realpath(path)))


def kind_in(mountinfo: str, path: Path) -> str:
    """Return the kind of the last mount that covers a path (proc_pid_mountinfo(5))."""
    found, length = "", 0
    for line in mountinfo.splitlines():
        before, dash, after = line.partition(" - ")
        fields = before.split(" ")
        if not dash or len(fields) < 5:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4]))
        if len(point.parts) >= length and path.is_relative_to(point):
            found, length = after.split(" ", 1)[0], len(point.parts)
    return found
