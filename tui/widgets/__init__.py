"""Widgets that know no domain: the virtual list, the search box, the bars, the reading."""
