"""The MCP gateway: lets a language model submit runs as tool calls (stdio and streamable HTTP).

It is a client of the HTTP API and nothing more: no database, no ledger, no key of its own. What the API answers
is what the model reads.
"""
