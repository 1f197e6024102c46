"""Kernel text to trees and back: the only user of `ast`."""
