"""site - does a web site of files hold together?

usage: python3 site.py [DIR]

index.html must be there, and every file of the site that a page or a style sheet refers to. What is elsewhere
(https:, mailto:, data:, //host) is not looked at, and neither is what scripts load.
"""

import os
import posixpath
import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

from report import run

REFERENCES = {
    "a": ["href"], "area": ["href"], "audio": ["src"], "embed": ["src"], "iframe": ["src"],
    "image": ["href"], "img": ["src", "srcset"], "input": ["src"], "link": ["href"], "object": ["data"],
    "script": ["src"], "source": ["src", "srcset"], "track": ["src"], "use": ["href"], "video": ["src", "poster"],
}
HINTS = {"preconnect", "dns-prefetch"}
STYLE = re.compile(r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^"')\s]+))\s*\)|@import\s+(?:"([^"]*)"|'([^']*)')""", re.I)
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def style_references(text, line):
    """(line, reference) of a style sheet; comments count for lines only."""
    text = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in STYLE.finditer(text):
        yield line + text.count("\n", 0, match.start()), next(group for group in match.groups() if group is not None)


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []
        self.base = ""
        self.in_style = False

    def handle_starttag(self, tag, pairs):
        attributes = {name: value or "" for name, value in pairs}
        line = self.getpos()[0]
        self.in_style = tag == "style"
        if tag == "base":
            self.base = self.base or attributes.get("href", "")
        if "style" in attributes:
            self.found += style_references(attributes["style"], line)
        if tag == "link" and HINTS & set(attributes.get("rel", "").lower().split()):
            return
        for name in REFERENCES.get(tag, []):
            value = attributes.get(name, "").strip()
            several = [part.split()[0] for part in value.split(",") if part.split()]
            self.found += [(line, one) for one in (several if name == "srcset" else [value])]

    def handle_data(self, data):
        if self.in_style:
            self.found += style_references(data, self.getpos()[0])

    def handle_endtag(self, tag):
        self.in_style = False


def references(path, text):
    """(line, reference, base) of a page or a style sheet."""
    if path.lower().endswith(".css"):
        return [(line, reference, "") for line, reference in style_references(text, 1)]
    page = Page()
    page.feed(text)
    page.close()
    return [(line, reference, page.base) for line, reference in page.found]


def complaint(path, reference, base):
    """What is wrong with a reference from the file, or None. Paths are relative to the site."""
    for part in (base, reference):
        if urlsplit(part).scheme or urlsplit(part).netloc:
            return None
    place = posixpath.join("/", posixpath.dirname(path), unquote(urlsplit(base).path))
    wanted = unquote(urlsplit(reference).path)
    if not wanted:
        return None
    target = posixpath.join(place if place.endswith("/") or not base else posixpath.dirname(place), wanted)
    depth = 0
    for part in target.split("/"):
        depth += {"": 0, ".": 0, "..": -1}.get(part, 1)
        if depth < 0:
            return f'"{reference}" leaves the site'
    file = posixpath.normpath(target).lstrip("/")
    if os.path.isfile(file) or os.path.isfile(os.path.join(file, "index.html")):
        return None
    return f'"{reference}": no file {file}'


def pages():
    for directory, below, names in os.walk("."):
        below.sort()
        for name in sorted(names):
            if name.lower().endswith((".html", ".htm", ".css")):
                yield posixpath.normpath(posixpath.join(directory, name))


def faults():
    if not os.path.isfile("index.html"):
        yield "index.html:1: error: there is no such file, and a site begins there"
    for path in pages():
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for line, reference, base in references(path, text):
                what = complaint(path, reference, base)
                if what:
                    yield f"{path}:{line}: error: {what}"
        except ValueError as error:
            yield f"{path}:1: error: {error}"


run(faults)
