"""The real models that the benchmarks run, read out of wheels of the Python package index."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

CACHE = Path(__file__).resolve().parent.parent / "build" / "models"

_WHERE = {
    "ocr-det": ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx"),
    "ocr-rec": ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx"),
    "ocr-cls": ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx"),
    "magika": ("magika==1.0.3", "magika/models/standard_v3_3/model.onnx"),
}

SHAPES: dict[str, tuple[int, ...]] = {
    "ocr-det": (1, 3, 640, 640),
    "ocr-rec": (1, 3, 48, 320),
    "ocr-cls": (1, 3, 48, 192),
    "magika": (1, 2048),
}


def model(name: str) -> Path:
    """The path of a model; downloads its wheel, without requirements, the first time."""
    requirement, member = _WHERE[name]
    target = CACHE / f"{name}.onnx"
    if target.is_file():
        return target
    CACHE.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    subprocess.run([*pip, "-d", str(CACHE), requirement], check=True)
    distribution = requirement.split("==")[0].replace("-", "_")
    wheel = next(CACHE.glob(f"{distribution}-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        partial = target.with_suffix(".part")
        partial.write_bytes(archive.read(member))
        partial.rename(target)
    return target
