"""Region-of-interest align as ONNX's operator."""

TYPES = {"f16": ("float16", 10), "bf16": ("bfloat16", 16), "f32": ("float", 1)}


def roi_align_onnx(*, C, H, W, N, P, SCALE, T):
    """In float32 whatever is stored: the runtime has no other kernel."""
    kind, number = TYPES[T]
    return f"""
        <ir_version: 9, opset_import: ["" : 18]>
        roi_align ({kind}[{C}, {H}, {W}] x, float[{N}, 4] roi) => ({kind}[{N}, {C}, {P}, {P}] out)
        <int64[1] front = {{0}}, int64 zero = {{0}}, int64[1] count = {{{N}}}>
        {{
            wide = Cast <to = 1> (x)
            maps = Unsqueeze(wide, front)
            which = Expand(zero, count)
            bins = RoiAlign <mode = "avg", output_height = {P}, output_width = {P}, sampling_ratio = 2,
                             spatial_scale = {SCALE}, coordinate_transformation_mode = "half_pixel">
                (maps, roi, which)
            out = Cast <to = {number}> (bins)
        }}
    """
