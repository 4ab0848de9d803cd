"""What the API takes and answers, each shape declared once.

A serializer is read three ways: it checks a request or renders an answer, drf-spectacular makes OpenAPI of it, and the
MCP gateway makes tool schemas of it. `fields` has the kinds of values, the other modules one subject each.

Instances are made once and shared: building one copies all its fields, which takes longer than using it.
"""
