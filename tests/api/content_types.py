"""Content-Type headers that stop a parser: what they say concerns the body at most, never how a query is read."""

ODD_CONTENT_TYPES = (
    "application/json; a*=nosuch''x",
    "application/json; a*=idna''%ff",
    "application/json; a*=undefined''%ff",
    f"application/json; a*{'9' * 5_000}=x",
    *(f"application/json; charset={name}" for name in ("hex", "rot13", "base64", "undefined", "idna", "utf-16")),
)
# Refused by its number of parameters; with a charset Django counts them before anybody listens.
MANY_PARAMETERS = "a&" * 5_000
