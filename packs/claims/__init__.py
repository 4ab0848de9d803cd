"""What a text claims, and whether sources say it: sentences taken apart into words with roles, figures and dates, then
aligned with passages. Shared by the eval and decision packs; knows neither.
"""
