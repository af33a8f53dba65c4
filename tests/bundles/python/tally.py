import re
from collections import Counter


def tally(text):
    words = Counter(re.findall(r"\w+", text.lower()))
    return sorted(words.items(), key=lambda item: (-item[1], item[0]))
