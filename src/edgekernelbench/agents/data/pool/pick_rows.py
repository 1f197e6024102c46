def pick_rows(rows, idx, gain):
    return rows[idx] * gain[:, None]
