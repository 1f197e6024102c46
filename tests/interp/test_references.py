"""Texts against independent NumPy, and texts of the same thing against each other."""

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from tests.interp.texts import facts_of, random_inputs

from edgekernelbench.interp.evaluate import evaluate

Arrays = dict[str, NDArray[Any]]


def run(name: str, *, full: bool = False, **given: NDArray[Any]) -> tuple[Arrays, tuple[NDArray[Any], ...]]:
    facts = facts_of(name, full=full)
    inputs = {**random_inputs(facts.kernel, seed=3), **given}
    found = evaluate(facts, inputs)
    wide = {
        n: a.astype(np.float64) if a.dtype.kind in "fV" else a.astype(np.int64) for n, a in inputs.items()
    }
    return wide, found


def sigmoid(x: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(1 / (1 + np.exp(-x)))


def windows(x: NDArray[Any], rows: int, columns: int) -> NDArray[Any]:
    """All windows of an image, as two more dimensions at the end."""
    return sliding_window_view(sliding_window_view(x, rows, axis=1), columns, axis=2)


def correlate(x: NDArray[Any], w: NDArray[Any], *, stride: int = 1) -> NDArray[Any]:
    """`x[c, i, j]`, padded already, with `w[k, c, r, s]`."""
    views = windows(x, w.shape[2], w.shape[3])[:, ::stride, ::stride]
    return np.asarray(np.einsum("cijrs,kcrs->kij", views, w))


@pytest.mark.parametrize("full", [False, True])
def test_softmax(full: bool) -> None:
    for name in ("softmax", "softmax_online"):
        given, (out,) = run(name, full=full)
        e = np.exp(given["x"] - given["x"].max(-1, keepdims=True))
        np.testing.assert_allclose(out, e / e.sum(-1, keepdims=True), rtol=1e-12)


@pytest.mark.parametrize("full", [False, True])
def test_layer_norm(full: bool) -> None:
    given, (out, mean, rdev) = run("layer_norm", full=full)
    x = given["x"]
    scale = 1 / np.sqrt(x.var(-1) + 1e-5)
    np.testing.assert_allclose(mean, x.mean(-1), rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(rdev, scale, rtol=1e-10)
    expected = (x - x.mean(-1, keepdims=True)) * scale[:, None] * given["g"] + given["b"]
    np.testing.assert_allclose(out, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("full", [False, True])
def test_matrix_products(full: bool) -> None:
    for name in ("matmul", "matmul_tensorcore"):
        given, (c,) = run(name, full=full)
        np.testing.assert_allclose(c, given["a"] @ given["b"], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("full", [False, True])
def test_running_sums(full: bool) -> None:
    for name in ("cumsum", "cumsum_blocked"):
        given, (y,) = run(name, full=full)
        np.testing.assert_allclose(y, np.cumsum(given["x"], -1), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("full", [False, True])
def test_convolutions(full: bool) -> None:
    given, (out,) = run("conv3x3_bias_relu", full=full)
    padded = np.pad(given["x"][0], ((0, 0), (1, 1), (1, 1)))
    expected = np.maximum(correlate(padded, given["w"]) + given["b"][:, None, None], 0)
    np.testing.assert_allclose(out[0], expected, rtol=1e-9, atol=1e-10)
    given, (out,) = run("winograd", full=full)
    padded = np.pad(given["x"], ((0, 0), (1, 1), (1, 1)))
    expected = np.maximum(correlate(padded, given["w"]) + given["b"][:, None, None], 0)
    np.testing.assert_allclose(out, expected, rtol=1e-9, atol=1e-10)


def test_a_quantised_convolution_is_exact() -> None:
    given, (out,) = run("conv3x3_q8", full=True)
    padded = np.pad(given["x"][0], ((0, 0), (1, 1), (1, 1)), constant_values=-5)
    acc = correlate(padded, given["w"]) + (given["bias"] + 5 * given["w"].sum((1, 2, 3)))[:, None, None]
    real = np.rint(acc * given["mul"][:, None, None]) - 128
    np.testing.assert_array_equal(out[0], np.clip(real, -128, 127).astype(np.int8))


def test_a_depthwise_convolution() -> None:
    given, (out,) = run("depthwise5x5_s2", full=True)
    padded = np.pad(given["x"][0], ((0, 0), (1, 2), (1, 2)))
    for c in (0, 7, 95):
        conv = correlate(padded[c : c + 1], given["w"][c][None, None], stride=2)[0]
        np.testing.assert_allclose(out[0, c], np.clip(conv + given["b"][c], 0, 6), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("full", [False, True])
def test_two_texts_of_a_transposed_convolution_agree(full: bool) -> None:
    given, (out,) = run("conv_transpose4x4_s2", full=full)
    _, (direct,) = run("conv_transpose4x4_s2_direct", full=full)
    np.testing.assert_allclose(out, direct, rtol=1e-9, atol=1e-10)
    spread = np.zeros((given["x"].shape[0], out.shape[1] + 5, out.shape[2] + 5))
    spread[:, 2 : 2 + out.shape[1] : 2, 2 : 2 + out.shape[2] : 2] = given["x"]
    turned = given["w"].transpose(1, 0, 2, 3)[:, :, ::-1, ::-1]
    np.testing.assert_allclose(out, correlate(spread, turned)[:, : out.shape[1], : out.shape[2]], atol=1e-9)


@pytest.mark.parametrize("full", [False, True])
def test_dynamic_time_warping(full: bool) -> None:
    given, (found,) = run("dtw", full=full)
    _, (diagonal,) = run("dtw_wavefront", full=full)
    a, b = given["a"], given["b"]
    d = np.full((len(a) + 1, len(b) + 1), np.inf)
    d[0, 0] = 0
    for i in range(len(a)):
        for j in range(len(b)):
            d[i + 1, j + 1] = abs(a[i] - b[j]) + min(d[i, j + 1], d[i + 1, j], d[i, j])
    assert found == pytest.approx(d[-1, -1], rel=1e-12)
    assert diagonal == pytest.approx(d[-1, -1], rel=1e-12)


@pytest.mark.parametrize("full", [False, True])
def test_transforms(full: bool) -> None:
    given, (re, im) = run("fft", full=full)
    expected = np.fft.fft(given["re"] + 1j * given["im"], axis=-1)
    np.testing.assert_allclose(re + 1j * im, expected, rtol=1e-9, atol=1e-9)
    given, (power,) = run("dft", full=full)
    np.testing.assert_allclose(power, np.abs(np.fft.rfft(given["x"], axis=-1)) ** 2, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("full", [False, True])
def test_counting_and_choosing(full: bool) -> None:
    given, (counts,) = run("histogram", full=full)
    np.testing.assert_array_equal(counts, np.bincount(given["img"], minlength=256))
    given, (best, value) = run("argmax_rows", full=full)
    np.testing.assert_array_equal(best, given["x"].argmax(-1))
    np.testing.assert_array_equal(value, given["x"].max(-1))
    given, (values, places) = run("topk", full=full)
    order = np.argsort(-given["x"], axis=-1, kind="stable")[:, : values.shape[1]]
    np.testing.assert_array_equal(places, order)
    np.testing.assert_array_equal(values, np.take_along_axis(given["x"], order, -1))
    given, (norms,) = run("row_norms", full=full)
    np.testing.assert_allclose(norms, np.linalg.norm(given["x"], axis=-1), rtol=1e-12)


@pytest.mark.parametrize("full", [False, True])
def test_suppression_of_overlapping_boxes(full: bool) -> None:
    facts = facts_of("nms", full=full)
    count = facts.kernel.params[1].shape[0]
    rng = np.random.default_rng(1)
    corner, size = rng.uniform(0, 4, (count, 2)), rng.uniform(0.5, 2, (count, 2))
    box = np.concatenate([corner, corner + size], 1).astype(np.float32)
    given, (pick,) = run("nms", full=full, box=box)
    wide, score = given["box"], given["score"]
    area = (wide[:, 2] - wide[:, 0]) * (wide[:, 3] - wide[:, 1])
    alive, expected = score > 0, []
    for _ in pick:
        if not alive.any():
            expected.append(-1)
            continue
        best = int(np.where(alive, score, -np.inf).argmax())
        expected.append(best)
        low, high = np.maximum(wide[:, :2], wide[best, :2]), np.minimum(wide[:, 2:], wide[best, 2:])
        inter = np.prod(np.maximum(high - low, 0), axis=1)
        alive &= inter <= 0.5 * (area + area[best] - inter)
        alive[best] = False
    np.testing.assert_array_equal(pick, expected)


@pytest.mark.parametrize("full", [False, True])
def test_farthest_points(full: bool) -> None:
    given, (pick,) = run("farthest_point_sampling", full=full)
    points, chosen = given["p"], [0]
    near = np.full(len(points), np.inf)
    while len(chosen) < len(pick):
        near = np.minimum(near, ((points - points[chosen[-1]]) ** 2).sum(-1))
        chosen.append(int(near.argmax()))
    np.testing.assert_array_equal(pick, chosen)


@pytest.mark.parametrize("full", [False, True])
def test_a_recurrent_layer(full: bool) -> None:
    given, (hs, hn, cn) = run("lstm", full=full)
    h, c = given["h0"], given["c0"]
    for t, x in enumerate(given["x"]):
        i, f, g, o = given["wx"] @ x + given["wh"] @ h + given["b"]
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        np.testing.assert_allclose(hs[t], h, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(hn, h, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(cn, c, rtol=1e-9, atol=1e-11)


def test_a_cascade_of_filters() -> None:
    given, (out,) = run("biquad_cascade")
    y = given["x"]
    for b0, b1, b2, a1, a2 in given["q"]:
        old, y = y, np.zeros_like(y)
        for t in range(y.shape[1]):
            y[:, t] = b0 * old[:, t]
            y[:, t] += b1 * old[:, t - 1] - a1 * y[:, t - 1] if t >= 1 else 0
            y[:, t] += b2 * old[:, t - 2] - a2 * y[:, t - 2] if t >= 2 else 0
    np.testing.assert_allclose(out, y, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("full", [False, True])
def test_weights_of_four_bits(full: bool) -> None:
    given, (y,) = run("gemv_i4", full=full)
    scale = np.repeat(given["scale"], given["w"].shape[1] // given["scale"].shape[1], axis=1)
    np.testing.assert_allclose(y, (given["w"] * scale) @ given["x"], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("full", [False, True])
def test_attention_to_the_filled_part_of_a_cache(full: bool) -> None:
    given, (out,) = run("decode_attention", full=full)
    q, k, v, filled = given["q"], given["kc"], given["vc"], int(given["pos"]) + 1
    for head in range(len(q)):
        shared = head // (len(q) // len(k))
        score = k[shared, :filled] @ q[head] * 0.125
        e = np.exp(score - score.max())
        np.testing.assert_allclose(out[head], e @ v[shared, :filled] / e.sum(), rtol=1e-9, atol=1e-11)


def test_a_mobile_block() -> None:
    given, (out,) = run("inverted_residual", full=True)
    x = given["x"]
    bias = {n: given[n][:, None, None] for n in ("be", "bd", "bp")}
    e = np.clip(np.einsum("cij,ec->eij", x, given["we"]) + bias["be"], 0, 6)
    views = windows(np.pad(e, ((0, 0), (1, 1), (1, 1))), 3, 3)
    d = np.clip(np.einsum("eijrs,ers->eij", views, given["wd"]) + bias["bd"], 0, 6)
    h = np.maximum(given["w1"] @ d.mean((1, 2)) + given["b1"], 0)
    gate = np.clip((given["w2"] @ h + given["b2"]) / 6 + 0.5, 0, 1)
    expected = np.einsum("eij,ke->kij", d * gate[:, None, None], given["wp"]) + bias["bp"] + x
    np.testing.assert_allclose(out, expected, rtol=1e-9, atol=1e-9)


def test_bilinear_interpolation() -> None:
    given, (out,) = run("resize_bilinear", full=True)
    x = given["x"]
    _, h, w = x.shape
    for i, j in ((0, 0), (1, 3), (60, 77), (119, 159)):
        y, u = max((i + 0.5) * h / out.shape[1] - 0.5, 0), max((j + 0.5) * w / out.shape[2] - 0.5, 0)
        y0, u0 = int(y), int(u)
        y1, u1 = min(y0 + 1, h - 1), min(u0 + 1, w - 1)
        top = x[:, y0, u0] * (1 - (u - u0)) + x[:, y0, u1] * (u - u0)
        low = x[:, y1, u0] * (1 - (u - u0)) + x[:, y1, u1] * (u - u0)
        np.testing.assert_allclose(out[:, i, j], top * (1 - (y - y0)) + low * (y - y0), rtol=1e-9, atol=1e-12)
