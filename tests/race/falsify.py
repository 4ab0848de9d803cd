"""What no program of the platform can do: a superuser looks the other way while the books are falsified."""

from uuid import UUID

from tests.owner import owner_cursor


def falsify(statement: str, *values: str | int | UUID) -> None:
    with owner_cursor(guards=False) as cursor:
        cursor.execute(statement, list(values))
        assert cursor.rowcount
