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
    domain = path.without("dpp_project")
    print(len(domain.modules), len(domain.hops_back))
    # What it is now. The aim is 25 and 8, and the second is met without the leaves only. The call that submits share
    # (`acceptance`) is one module and one hop of it.
    assert len(path.modules) <= 48
    assert len(path.hops_back) <= 15, path.hops_back
    assert len(domain.modules) <= 34
    assert len(domain.hops_back) <= 6, domain.hops_back
