"""Hold patterns against OpenCV and SciPy themselves, on the inputs of their workloads.

    pip install --target DIR --no-deps opencv-python-headless scipy
    PYTHONPATH=DIR python benchmarks/libraries.py

They are no dependencies of this project: what they compute is written in texts and PyTorch functions of
our own, and this program says how far those are from what their sources name. Prints a table: the
largest difference in steps of the output (or its own unit for floats), and the share of elements that
differ at all.
"""

import sys
from collections.abc import Callable, Mapping
from typing import Any

import cv2
import numpy as np
import scipy
from scipy import linalg, ndimage, signal

from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.pytorch import run_function

SEED = 5
REPEAT = cv2.BORDER_REPLICATE
Sizes = Mapping[str, Any]
Arrays = tuple[Any, ...]


def affine(x: Arrays, s: Sizes) -> Any:
    """Warp by the inverse map that the workload gives in 10 fractional bits."""
    matrix = np.hstack([x[1], x[2][:, None]]).astype(np.float64) / 1024
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(x[0], matrix, (s["OW"], s["OH"]), flags=how, borderMode=REPEAT)


def harris(x: Arrays, s: Sizes) -> Any:
    """Take out the factor of the window, by which OpenCV divides the gradients."""
    return cv2.cornerHarris((x[0] / 255).astype(np.float32), 5, 3, s["K"], borderType=REPEAT) * 5**4


def undistort(x: Arrays, s: Sizes) -> Any:
    """Remap plane by plane, border repeated."""
    camera = np.array([[s["FX"], 0, s["CX"]], [0, s["FY"], s["CY"]], [0, 0, 1]])
    lens = np.array([s["K1"], s["K2"], s["P1"], s["P2"]])
    size = x[0].shape[:0:-1]
    across, down = cv2.initUndistortRectifyMap(camera, lens, None, camera, size, cv2.CV_32FC1)
    planes = x[0].astype(np.float32)
    return np.stack([cv2.remap(p, across, down, cv2.INTER_LINEAR, borderMode=REPEAT) for p in planes])


def clahe(x: Arrays, s: Sizes) -> Any:
    """Ask for the same limit in counts, which OpenCV takes as a multiple of the mean."""
    limit = s["CLIP"] * 256 / (s["TH"] * s["TW"]) + 1e-6
    return cv2.createCLAHE(limit, (s["GX"], s["GY"])).apply(x[0])


def welch(x: Arrays, s: Sizes) -> Any:
    """Half-overlapping segments under a Hann window, each without its mean."""
    return signal.welch(x[0].astype(np.float64), fs=s["RATE"], nperseg=s["N"])[1]


def sections(x: Arrays, s: Sizes) -> Any:
    """Put the ones of a0 in, which SciPy wants."""
    q = x[1].astype(np.float64)
    return signal.sosfilt(np.c_[q[:, :3], np.ones(len(q)), q[:, 3:]], x[0].astype(np.float64))


def prediction(x: Arrays, s: Sizes) -> Any:
    """Solve the Toeplitz system of each windowed frame."""
    frames, order = (x[0] * x[1]).astype(np.float64), s["P"]
    lags = np.stack([[f[: len(f) - k] @ f[k:] for k in range(order + 1)] for f in frames])
    lags[:, 0] = lags[:, 0] * (1 + s["NOISE"]) + s["FLOOR"]
    return np.stack([np.r_[1.0, linalg.solve_toeplitz(r[:order], -r[1:])] for r in lags])


def baseline(x: Arrays, s: Sizes) -> Any:
    """Open, close and subtract, ends repeated."""
    opened = ndimage.grey_opening(x[0], size=(1, s["W1"]), mode="nearest")
    return x[0].astype(int) - ndimage.grey_closing(opened, size=(1, s["W2"]), mode="nearest")


def hysteresis(edges: Any) -> Any:
    """Keep weak edges that touch strong ones, which the pattern leaves to the next step."""
    parts, _ = ndimage.label(edges > 0, np.ones((3, 3)))
    kept = np.unique(parts[edges == STRONG])
    return np.isin(parts, kept[kept > 0]) * 255


STRONG = 2

BESIDE: dict[str, Callable[[Arrays, Sizes], Any]] = {
    "gaussian_blur": lambda x, s: cv2.GaussianBlur(x[0], (7, 7), 0),
    "pyramid_down": lambda x, s: cv2.pyrDown(x[0]),
    "box_blur": lambda x, s: cv2.blur(x[0], (2 * s["R"] + 1, 2 * s["R"] + 1), borderType=REPEAT),
    "median3x3": lambda x, s: cv2.medianBlur(x[0], 3),
    "integral_image": lambda x, s: cv2.integral(x[0])[1:, 1:],
    "sobel_polar": lambda x, s: cv2.magnitude(
        cv2.Sobel(x[0], cv2.CV_32F, 1, 0), cv2.Sobel(x[0], cv2.CV_32F, 0, 1)
    ),
    "harris_response": harris,
    "undistort": undistort,
    "area_downsample": lambda x, s: cv2.resize(x[0], (s["OW"], s["OH"]), interpolation=cv2.INTER_AREA),
    "affine_warp": affine,
    "rgb_to_hsv": lambda x, s: cv2.cvtColor(x[0], cv2.COLOR_RGB2HSV),
    "nv12_to_rgb": lambda x, s: cv2.cvtColorTwoPlane(x[0], x[1], cv2.COLOR_YUV2RGB_NV12),
    "template_match": lambda x, s: cv2.matchTemplate(x[0], x[1], cv2.TM_CCOEFF_NORMED),
    "clahe": clahe,
    "canny_edges": lambda x, s: cv2.Canny(x[0], s["LOW"], s["HIGH"]),
    "baseline_morphology": baseline,
    "welch_psd": welch,
    "biquad_cascade": sections,
    "linear_prediction": prediction,
}


def main() -> int:
    """Print the table."""
    cv2.setNumThreads(1)
    print(f"OpenCV {cv2.__version__}, SciPy {scipy.__version__}\n")
    print(f"{'workload':44s} {'largest':>10s} {'differ':>9s}")
    for name, beside in BESIDE.items():
        for workload in load_catalogue().select([name]):
            inputs = make_inputs(workload, SEED)
            ours = run_function(workload.torch_function(), inputs)[0]
            ours = hysteresis(ours) if name == "canny_edges" else ours
            theirs = np.asarray(beside(inputs, workload.sizes)).reshape(ours.shape)
            gap = np.abs(ours.astype(np.float64) - theirs.astype(np.float64))
            print(f"{workload.id:44s} {gap.max():10.3g} {np.mean(gap > 0):9.2%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
