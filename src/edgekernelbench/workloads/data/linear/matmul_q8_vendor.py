"""Quantised dense layer with integer products, in PyTorch and in ONNX."""

import torch


def matmul_q8(x, w, bias, mul, shift, *, ZX, ZY):
    """The zero point of the input is a correction of the bias."""
    acc = (torch._int_mm(x, w.T) + (bias - ZX * w.sum(1, dtype=torch.int32))).long()
    scaled = (acc * mul.long() + (1 << (30 + shift.long()))) >> (31 + shift.long())
    return (scaled + ZY).clamp(-128, 127).to(torch.int8)


def matmul_q8_onnx(*, M, K, N, ZX, ZY):
    """Codes become unsigned, which is what the runtime's kernels take; so does what is shifted."""
    return f"""
        <ir_version: 9, opset_import: ["" : 18]>
        matmul_q8 (int8[{M}, {K}] x, int8[{N}, {K}] w, int32[{N}] bias, int32[{N}] mul, int32[{N}] shift)
            => (int8[{M}, {N}] y)
        <uint8 top = {{128}}, uint8 zx = {{{ZX + 128}}}, uint64 u31 = {{31}}, uint64 u1 = {{1}},
         int64 far = {{4611686018427387904}}, uint64 ufar = {{4611686018427387904}},
         int64 zy = {{{ZY}}}, int64 low = {{-128}}, int64 high = {{127}}>
        {{
            wt = Transpose <perm = [1, 0]> (w)
            bits = Cast <to = 2> (x)
            codes = BitwiseXor(bits, top)
            products = MatMulInteger(codes, wt, zx)
            acc = Add(products, bias)
            wide = Cast <to = 7> (acc)
            factor = Cast <to = 7> (mul)
            scaled = Mul(wide, factor)
            ushift = Cast <to = 13> (shift)
            places = Add(ushift, u31)
            fewer = Sub(places, u1)
            uhalf = BitShift <direction = "LEFT"> (u1, fewer)
            half = Cast <to = 7> (uhalf)
            offset = Add(half, far)
            lifted = Add(scaled, offset)
            ulifted = Cast <to = 13> (lifted)
            ushifted = BitShift <direction = "RIGHT"> (ulifted, places)
            shifted = Cast <to = 7> (ushifted)
            ubase = BitShift <direction = "RIGHT"> (ufar, places)
            base = Cast <to = 7> (ubase)
            down = Sub(zy, base)
            moved = Add(shifted, down)
            clamped = Clip(moved, low, high)
            y = Cast <to = 3> (clamped)
        }}
    """
