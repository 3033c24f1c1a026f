"""Offline models, sessions, and operators called straight from Python."""

from opkg.runtime.session import CustomNode, Model, load
from opkg.runtime.signature import TensorInfo

__all__ = ["CustomNode", "Model", "TensorInfo", "load"]
