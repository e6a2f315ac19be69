"""Conversations as files: Markdown and HTML to read, JSON and JSONL to keep (spec 4.6, 5.1)."""

from hermes_tui.export.exporting import export
from hermes_tui.export.formats import Exported, ExportRefused, Format
from hermes_tui.export.names import suggested_name

__all__ = ["ExportRefused", "Exported", "Format", "export", "suggested_name"]
