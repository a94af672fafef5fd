"""Files and texts: read in one encoding, cut into words, written whole or not."""
