"""One file per agent CLI behind one port."""
