"""Where the style sheets lie: beside the packages, one for each screen."""

from __future__ import annotations

from pathlib import Path

STYLES = Path(__file__).parent.parent / "styles"
