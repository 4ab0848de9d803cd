"""Certificates that their issuers took back, as far as the operator's revocation lists say so.

Nobody is asked: a question per site would tell a stranger what our tenants read, and one that is not answered would
have to be taken for a yes. The lists are a file of the operator's; without one nothing is checked
(docs/decisions/0019-revocation-by-lists.md).
"""

import logging
import re
import threading
from pathlib import Path

from cryptography import x509

from dpp_project.logging import fields

log = logging.getLogger("dpp.fetch")

_LIST = re.compile(rb"-----BEGIN X509 CRL-----.*?-----END X509 CRL-----", re.DOTALL)


class RevocationLists:
    """Read again when the file changes. A file that became unreadable changes nothing: the last one stands."""

    def __init__(self, path: Path) -> None:
        """Raises OSError or ValueError: a file without a list is a mistake."""
        self._path = path
        self._changed_at = path.stat().st_mtime_ns
        self._lists = _read(path)
        self._reading = threading.Lock()

    def contains(self, certificate: bytes) -> bool:
        """Whether a list names this certificate (DER), by its issuer and number."""
        found = x509.load_der_x509_certificate(certificate)
        return any(
            each.get_revoked_certificate_by_serial_number(found.serial_number) is not None
            for each in self._current().get(found.issuer, ())
        )

    def _current(self) -> dict[x509.Name, list[x509.CertificateRevocationList]]:
        with self._reading:
            try:
                changed_at = self._path.stat().st_mtime_ns
                if changed_at != self._changed_at:
                    self._changed_at = changed_at
                    self._lists = _read(self._path)
            except (OSError, ValueError) as error:
                log.warning("revocation_lists_unreadable", extra=fields(error=type(error).__name__))
            return self._lists


def _read(path: Path) -> dict[x509.Name, list[x509.CertificateRevocationList]]:
    by_issuer: dict[x509.Name, list[x509.CertificateRevocationList]] = {}
    for pem in _LIST.findall(path.read_bytes()):
        one = x509.load_pem_x509_crl(pem)
        by_issuer.setdefault(one.issuer, []).append(one)
    if not by_issuer:
        raise ValueError("There is no revocation list in it.")
    return by_issuer
