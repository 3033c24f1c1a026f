"""Inputs and expected outputs, in input/ and output/ of the current folder."""

from pathlib import Path

import numpy as np

COUNT = 100003
WEIGHT = 0.25


def main():
    rng = np.random.default_rng(7)
    for folder in ("input", "output"):
        Path(folder).mkdir(exist_ok=True)
    for suffix, dtype in (("", np.float32), ("16", np.float16)):
        x, y = (rng.uniform(-8, 8, COUNT).astype(dtype) for _ in range(2))
        x.tofile(f"input/x{suffix}.bin")
        y.tofile(f"input/y{suffix}.bin")
        (x + dtype(WEIGHT) * (y - x)).tofile(f"output/golden{suffix}.bin")


if __name__ == "__main__":
    main()
