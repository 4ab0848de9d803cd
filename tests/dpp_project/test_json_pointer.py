"""Where in a document something is, written and read back."""

import pytest

from dpp_project.json_pointer import names_in, pointer


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ([], ""),
        (["inputs", "urls", 0], "/inputs/urls/0"),
        (["a/b", "c~d", "~1", ""], "/a~1b/c~0d/~01/"),
    ],
)
def test_a_pointer_is_written_and_read_back(path: list[str | int], text: str) -> None:
    assert pointer(path) == text
    assert names_in(text) == [str(part) for part in path]


def test_a_name_of_a_megabyte_is_cut() -> None:
    assert len(pointer(["inputs", "x" * 1_000_000])) < 200
