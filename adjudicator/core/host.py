"""Names and addresses of machines."""

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Return whether a name or an address always means the machine that asks."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
