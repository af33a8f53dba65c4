"""Counts the words of its standard input, most frequent first."""

import sys

from tally import tally


def main():
    for word, count in tally(sys.stdin.read()):
        print(f"{count}\t{word}")


if __name__ == "__main__":
    main()
