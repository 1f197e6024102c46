"""Non-maximum suppression as ONNX's operator, padded to a fixed number of picks."""


def nms_onnx(*, N, M, IOU, LEAST):
    """The operator gives as many picks as there are; M times -1 stand behind them, and the first M are kept."""
    return f"""
        <ir_version: 9, opset_import: ["" : 18]>
        nms (float[{N}, 4] box, float[{N}] score) => (int32[{M}] pick)
        <int64 most = {{{M}}}, float iou = {{{IOU}}}, float least = {{{LEAST}}}, int64[1] front = {{0}},
         int64[2] fronts = {{0, 1}}, int64 place = {{2}}, int64[1] first = {{0}}, int64[1] last = {{{M}}},
         int64[1] count = {{{M}}}, int64 none = {{-1}}>
        {{
            boxes = Unsqueeze(box, front)
            scores = Unsqueeze(score, fronts)
            found = NonMaxSuppression(boxes, scores, most, iou, least)
            places = Gather <axis = 1> (found, place)
            behind = Expand(none, count)
            all = Concat <axis = 0> (places, behind)
            kept = Slice(all, first, last)
            pick = Cast <to = 6> (kept)
        }}
    """
