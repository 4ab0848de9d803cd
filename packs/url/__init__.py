"""The url pack: public pages read, judged by three gates, and quoted so that an agent can cite them."""

from packs.url.pack import PACK

__all__ = ["PACK"]
