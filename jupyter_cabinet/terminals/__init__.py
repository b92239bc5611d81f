"""Shared PTYs on terminado: the hub, turns, the soft lock, replay."""
