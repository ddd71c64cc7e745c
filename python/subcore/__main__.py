"""The command `subcore` of the package: python3 -m subcore."""
import os
import sys

from subcore import executable


def main():
    os.execv(executable(), ["subcore", *sys.argv[1:]])


if __name__ == "__main__":
    main()
