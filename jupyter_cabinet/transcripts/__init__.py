"""The sessions that agent CLIs keep on disk: found, indexed, searched, judged, whoever started them."""
