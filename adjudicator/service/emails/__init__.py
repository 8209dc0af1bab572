"""An email as one value, and its forms written from that value alone."""
