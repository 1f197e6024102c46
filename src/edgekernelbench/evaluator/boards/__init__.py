"""Boards: devices of another machine, or of this one as if it were another, reached through TVM's RPC."""
