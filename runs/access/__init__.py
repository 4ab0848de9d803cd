"""Who may use the service, and how much: API keys, tenants, rate limits, kill switches, the price of fast polls."""
