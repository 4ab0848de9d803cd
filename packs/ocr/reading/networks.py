"""Neural networks through onnxruntime: one thread, and little memory kept between two calls."""

import os

# Before the library is loaded: it measures the machine for threads that this process does not use.
os.environ["OMP_NUM_THREADS"] = "1"

from collections.abc import Mapping

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray

from packs.ocr.models import MODELS

Floats = NDArray[np.float32]


class Network:
    def __init__(self, name: str) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_mem_pattern = False
        options.log_severity_level = 4
        path = str(MODELS / f"{name}.onnx")
        self._session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self._input = self._session.get_inputs()[0].name
        # The memory of a large page is given back after it: the process's memory is bounded. Without an arena every
        # layer would ask the kernel anew, which takes longer than the detector's own work.
        self._run_options = onnxruntime.RunOptions()
        self._run_options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")

    def run(self, batch: Floats) -> Floats:
        answer: Floats = self._session.run(None, {self._input: batch}, self._run_options)[0]
        return answer

    @property
    def metadata(self) -> Mapping[str, str]:
        found: Mapping[str, str] = self._session.get_modelmeta().custom_metadata_map
        return found
