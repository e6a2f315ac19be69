"""The conversations of the demo: written as screenplays, read by `screenplay`."""
