"""Compare what the program wrote with what was expected: exactly, since every operation rounds as numpy's does."""

import sys

import numpy as np


def main():
    for suffix, dtype in (("", np.float32), ("16", np.float16)):
        got = np.fromfile(f"output/z{suffix}.bin", dtype)
        expected = np.fromfile(f"output/golden{suffix}.bin", dtype)
        if got.shape != expected.shape:
            sys.exit(f"z{suffix}: {got.size} elements, not {expected.size}")
        wrong = np.flatnonzero(got != expected)
        if wrong.size:
            at = wrong[0]
            sys.exit(f"z{suffix}: {wrong.size} elements differ; the first is {at}: {got[at]}, not {expected[at]}")
    print("test pass")


if __name__ == "__main__":
    main()
