"""Our two themes: one accent, two greys, colour only where it means something."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="hermes-dark",
    primary="#CD7F32",
    secondary="#DAA520",
    accent="#FFBF00",
    foreground="#EDE6D6",
    background="#15120E",
    surface="#1B1712",
    panel="#262019",
    success="#6DBE6F",
    warning="#FFA726",
    error="#EF5350",
    dark=True,
    variables={
        "text": "#EDE6D6",
        "text-muted": "#8B8682",
        "faint": "#5D564D",
        "bronze": "#CD7F32",
        "gold": "#DAA520",
        "green": "#6DBE6F",
        "cursor-row": "#3A2C1A",
        "match-text": "#15120E",
        "block-cursor-background": "#3A2C1A",
        "block-cursor-foreground": "#EDE6D6",
        "block-cursor-text-style": "bold",
        "input-cursor-background": "#FFBF00",
        "input-cursor-foreground": "#15120E",
        "input-selection-background": "#CD7F32 35%",
        "border": "#CD7F32",
        "border-blurred": "#3D352B",
        "scrollbar": "#3A2C1A",
        "scrollbar-hover": "#CD7F32",
        "scrollbar-active": "#FFBF00",
        "scrollbar-background": "#1B1712",
        "scrollbar-background-hover": "#1B1712",
        "scrollbar-background-active": "#1B1712",
        "scrollbar-corner-color": "#1B1712",
    },
)

# The roles of the dark theme on paper; bronze, gold and green are darkened until 4.5:1 on it.
LIGHT = Theme(
    name="hermes-light",
    primary="#8A5213",
    secondary="#7A5C00",
    accent="#8F5B00",
    foreground="#2B2620",
    background="#FBF7EF",
    surface="#F5EFE2",
    panel="#EBE2D0",
    success="#2F6F36",
    warning="#8F5200",
    error="#B3261E",
    dark=False,
    variables={
        "text": "#2B2620",
        "text-muted": "#675F55",
        "faint": "#746B5F",
        "bronze": "#8A5213",
        "gold": "#7A5C00",
        "green": "#2F6F36",
        "cursor-row": "#F0DDB4",
        "match-text": "#FBF7EF",
        "block-cursor-background": "#F0DDB4",
        "block-cursor-foreground": "#2B2620",
        "block-cursor-text-style": "bold",
        "input-cursor-background": "#8F5B00",
        "input-cursor-foreground": "#FBF7EF",
        "input-selection-background": "#8A5213 30%",
        "border": "#8A5213",
        "border-blurred": "#D5C8AE",
        "scrollbar": "#D8C9A8",
        "scrollbar-hover": "#8A5213",
        "scrollbar-active": "#8F5B00",
        "scrollbar-background": "#F5EFE2",
        "scrollbar-background-hover": "#F5EFE2",
        "scrollbar-background-active": "#F5EFE2",
        "scrollbar-corner-color": "#F5EFE2",
    },
)

_ELSEWHERE = {
    "faint": "text-disabled",
    "bronze": "primary",
    "gold": "secondary",
    "green": "success",
    "cursor-row": "primary 25%",
    "match-text": "background",
}
"""The variables of Textual's own themes that take our roles."""


def roles(theme: Theme) -> dict[str, str]:
    """The colours of our roles that a theme does not name."""
    missing = _ELSEWHERE.keys() - theme.variables.keys()
    if not missing:
        return {}
    colours = theme.to_color_system().generate() | theme.variables
    # Not "$primary": a border takes no variable that stands for another (Textual 8.2).
    return {
        role: " ".join((colours[name], *share))
        for role in missing
        for name, *share in [_ELSEWHERE[role].split()]
    }
