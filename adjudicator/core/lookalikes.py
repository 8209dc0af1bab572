"""Find names that look alike, as the confusables of Unicode's UTS 39 do.

Theory. Two texts look alike if their skeletons are equal: each letter that looks like a Latin
letter or a digit becomes that one, whatever alphabet it is from, and accents stay. Names are the
same in whatever case, so there are two skeletons: one of the text as it is written, in which a
capital I looks like a small l, and one in small letters. The table has what is left of UTS 39 when
wide, mathematical and other variants are taken away, which NFKD does. It is our own because the
packages that have all of UTS 39 bring nine thousand pairs and no skeleton.
"""

import re
import unicodedata

# By Latin letters and digits: what looks like them.
_ALIKE = {
    "2": "ƧϨᒿꙄꛯꝚ",
    "3": "ƷȜЗӠⳌꝪꞫ𑣊𖼻𝈆",
    "4": "Ꮞ𑢯",
    "5": "Ƽ𑢻",
    "6": "бᏮⳒ𑣕",
    "7": "𐓒𑣆𝈒",
    "8": "Ȣȣ৪੪ଃ𐌚",
    "9": "৭੧୨൭ⳊꝮ𑢬𑣌𑣖",
    "A": "ΑАᎪᗅꓮ𐊠𖽀",
    "B": "ΒВᏴᗷꓐꞴ𐊂𐊡𐌁",
    "C": "СᏟⲤꓚ𐊢𐌂𐐕𐔜𑣩𑣲🝌",
    "D": "Ꭰᗞᗪꓓ",
    "E": "ΕЕᎬ⋿ⴹꓰ𐊆𑢦𑢮",
    "F": "ϜᖴꓝꞘ𐊇𐊥𐔥𑢢𑣂𝈓",
    "G": "ԌᏀᏳꓖ",
    "H": "ΗНᎻᕼⲎꓧ𐋏",
    "J": "ͿЈᎫᒍꓙꞲ",
    "K": "ΚКᏦᛕⲔꓗ𐔘",
    "L": "ᏞᒪⳐꓡ𐐛𐔦𑢣𑢲𖼖𝈪",
    "M": "ΜϺМᎷᗰᛖⲘꓟ𐊰𐌑",
    "N": "ΝⲚꓠ𐔓",
    "O": "ΟОՕ০ଠ୦ዐⲞⵔ〇ꓳ𐊒𐊫𐐄𐓂𐔖𑓐𑢵𑣠",
    "P": "ΡРᏢᑭⲢꓑ𐊕",
    "Q": "ⵕ",
    "R": "ƦᎡᏒᖇꓣ𐒴𖼵𝈖",
    "S": "ЅՏᏕᏚꓢ𐊖𐐠𖼺",
    "T": "ΤТᎢ⊤⟙Ⲧꓔ𐊗𐊱𐌕𑢼𖼊🝨",
    "U": "Սሀᑌ∪⋃ꓴ𐓎𑢸𖽂",
    "V": "Ѵ۷Ꮩᐯⴸꓦꛟ𐔝𑢠𖼈𝈍",
    "W": "ԜᎳᏔꓪ𑣦𑣯",
    "X": "ΧХ᙭ᚷ╳ⲬⵝꓫꞳ𐊐𐊴𐌗𐌢𐔧𑣬",
    "Y": "ΥУҮᎩᎽⲨꓬ𐊲𑢤𖽃",
    "Z": "ΖᏃꓜ𐋵𑢩𑣥",
    "a": "ɑαа⍺",
    "b": "ƄЬᏏᑲᖯ",
    "c": "сᴄⲥꮯ𐐽",
    "d": "ԁᏧᑯꓒ",
    "e": "еҽ℮ꬲ",
    "f": "քẝꞙꬵ",
    "g": "ƍɡցᶃ",
    "h": "һհᏂ",
    "i": "ıɩɪ˛ͺιіӏᎥ⍳ꙇꭵ𑣃",
    "j": "ϳј",
    "k": "κк",
    "l": "ƖǀΙІӀ۱ᛁ∣⏽Ⲓⵏꓲ𐊊𐌉𐌠𖼨",
    "m": "м",
    "n": "ոռ",
    "o": "οσоօ۵०੦૦௦ం౦ಂ೦ംഠ൦ං๐໐ဝ၀ჿᴏᴑⲟꬽ𐐬𐓪𑣈𑣗",
    "p": "ρр⍴ⲣ",
    "q": "ԛգզ",
    "r": "гᴦⲅꭇꭈꮁ",
    "s": "ƽѕꜱꮪ𐑈𑣁",
    "t": "т",
    "u": "ʋυսᴜꞟꭎꭒ𐓶𑣘",
    "v": "νѵᴠ∨⋁ꮩ𑜆𑣀",
    "w": "ɯѡԝաᴡꮃ𑜊𑜎𑜏",
    "x": "×χхᕁᕽ᙮⤫⤬⨯",
    "y": "ɣʏγуүყᶌỿꭚ𑣜",
    "z": "ᴢꮓ𑣄",
}
_LATIN = str.maketrans({sign: latin for latin, signs in _ALIKE.items() for sign in signs})
_AS_WRITTEN = str.maketrans("I1|0", "lllO")
_IN_SMALL = str.maketrans("1|0", "llo")
# Letters and marks of no width, which a name could have beside those that are seen; and blanks that
# are letters.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)


def has_unseen(text: str) -> bool:
    """Return whether a text has signs that nobody sees."""
    return _UNSEEN.search(text) is not None


def looks_of(text: str) -> frozenset[str]:
    """Return the skeletons of a text; two that share one look alike, in whatever case."""
    latin = unicodedata.normalize("NFKD", text.translate(_LATIN)).translate(_LATIN)
    written = latin.translate(_AS_WRITTEN).replace("m", "rn")
    small = latin.casefold().translate(_LATIN).translate(_IN_SMALL).replace("m", "rn")
    return frozenset((written, small))


def look_alike(one: str, other: str) -> bool:
    """Return whether two texts could be taken for each other."""
    return not looks_of(one).isdisjoint(looks_of(other))
