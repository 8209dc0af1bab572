"""Public randomness that nobody can choose or foresee: the beacon `quicknet` of drand.

Theory of operation. Some twenty organisations hold shares of one BLS key. Every three seconds a
majority of them signs the number of the round, and there is exactly one signature that the public
key accepts. So the signature is known to nobody before its time, the same for everybody
afterwards, and it can be checked offline with what stands below, however it reached us. (If most of
those organisations worked together, they could sign rounds early.)

A match that takes its chance from here uses the first round that comes an agreed time after its
last seat was taken, an hour or a day (`core/public_chance.py`). Both are told to all players
together with the commitment, so nobody picks the round: neither the club, by when it asks, nor a
player.

The check is that of RFC 9380 and of BLS signatures with the signature in G1 and the key in G2:
e(signature, generator of G2) = e(hash to G1 of the message, key). The message is the SHA-256 of the
round's number, as 8 bytes, big-endian. A signature is 48 bytes and has one spelling here, in 96
lower-case hex digits; it must lie in the right subgroup and must not be the point at infinity.

The pairings are those of the library py-ecc, which the extra `beacon` installs. It is imported only
when a signature is checked.
"""

import re
import sys
from functools import cache
from hashlib import sha256

from adjudicator.core.message import Message, say

CHAIN = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
KEY = (
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
)
GENESIS = 1_692_803_367  # the time of round 1, in seconds of Unix
PERIOD = 3  # seconds between two rounds
MOST_ROUNDS = 2**63  # the number is signed as 8 bytes

_SUITE = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
_SPELLING = re.compile("[0-9a-f]{96}")


class NoLibrary(Exception):
    """The extra `beacon` is not installed, so no signature can be checked."""

    message = say(
        "checking the signature of a round needs an extra: pip install '.[beacon]' in adjud's "
        "checkout"
    )


def round_at(time: int) -> int:
    """Return the first round that is published then or later, in seconds of Unix."""
    return max(1, -(-(time - GENESIS) // PERIOD) + 1)


def time_of(number: int) -> int:
    """Return when a round is published, in seconds of Unix."""
    return GENESIS + PERIOD * (number - 1)


def fault(number: int, signature: str) -> Message | None:
    """Return why that text is not the signature of the round; None if it is.

    Raises NoLibrary.
    """
    if not _SPELLING.fullmatch(signature):
        return say("the signature of a round is 96 hex digits in lower case, and nothing else")
    if not 1 <= number < MOST_ROUNDS or not _is_signed(number, bytes.fromhex(signature)):
        return say("this is not the signature of round number {number}", number=number)
    return None


@cache
def _is_signed(number: int, signature: bytes) -> bool:
    limit = sys.getrecursionlimit()
    try:
        from py_ecc.bls.g2_primitives import pubkey_to_G1, signature_to_G2, subgroup_check
        from py_ecc.bls.hash_to_curve import hash_to_G1
        from py_ecc.fields import optimized_bls12_381_FQ12 as Product
        from py_ecc.optimized_bls12_381.optimized_curve import G2, is_inf, neg
        from py_ecc.optimized_bls12_381.optimized_pairing import final_exponentiate, pairing
    except ImportError:
        raise NoLibrary from None
    finally:
        # py-ecc raises the limit so far that JSON nested deeply by somebody else would crash us.
        sys.setrecursionlimit(limit)
    # py-ecc names 48 bytes of G1 a key and 96 of G2 a signature; here it is the other way round.
    try:
        point = pubkey_to_G1(signature)  # type: ignore[arg-type]
    except ValueError:  # no point of the curve is written so
        return False
    if is_inf(point) or not subgroup_check(point):
        return False
    key = signature_to_G2(bytes.fromhex(KEY))  # type: ignore[arg-type]
    message = sha256(number.to_bytes(8, "big")).digest()
    hashed = hash_to_G1(message, _SUITE, sha256)  # type: ignore[arg-type]
    one = pairing(G2, point, final_exponentiate=False)
    other = pairing(key, neg(hashed), final_exponentiate=False)
    return bool(final_exponentiate(one * other) == Product.one())
