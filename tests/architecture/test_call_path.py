"""A submit is followed by reading few modules."""

from tests.api.caller import Caller
from tests.architecture.call_path import CallPath, traced


def test_a_submit_passes_few_modules(acme_api: Caller) -> None:
    acme_api.submit()  # what is built at the first use is not part of the way
    path = CallPath()
    with traced(path):
        answer = acme_api.submit()

    assert answer.status_code == 202
    print(len(path.modules), len(path.hops_back), *path.modules, sep="\n")
    assert len(path.modules) <= 52
    assert len(path.hops_back) <= 22
    domain = path.without("dpp_project")
    assert len(domain.modules) <= 38
    assert len(domain.hops_back) <= 9, domain.hops_back
