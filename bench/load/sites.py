"""Sites for the url scenario: thirteen with the hot documents, twenty with the cold tail, each of bounded capacity.

A site answers so many requests at a time. One more is told 503, and counted: the platform must never cause it.
"""

import random
import socket
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

from tests.packs.fetch.zoo import Request, Zoo, respond
from tests.packs.url.articles import html

HOT_HOSTS, HOT_EACH, COLD_HOSTS, COLD_EACH = 13, 3, 20, 100
QUESTION = "전기차 보조금 기준은 어떻게 바뀌었나요?"
ANSWER_SEC = 0.05
_WORDS = (
    *("지원", "대상", "차량", "금액", "신청", "기간", "서류", "지역", "성능", "거리"),
    *("배터리", "등록", "업체", "예산", "심사", "결과", "공고", "조건", "접수", "환수"),
)


@dataclass
class BoundedSite:
    capacity: int
    at_once: int = 0
    most_at_once: int = 0
    answered: int = 0
    refused: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, tls: socket.socket, request: Request) -> None:
        with self.lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            is_over = self.at_once > self.capacity
            self.refused += is_over
            self.answered += not is_over
        try:
            time.sleep(ANSWER_SEC)
        finally:
            # Before the last byte: whoever has read it may ask again at once.
            with self.lock:
                self.at_once -= 1
        if is_over:
            respond(tls, b"", status=503)
        else:
            respond(tls, _document(f"{request.sni}{request.path}").encode())


def _document(name: str) -> str:
    """A notice of its own words, so that none is taken for another's duplicate."""
    chance = random.Random(name)
    lines = [
        f"<p>전기차 보조금 기준 제{line}항은 {' '.join(chance.sample(_WORDS, 12))}에 관하여 새로 정한다.</p>"
        for line in range(1, 9)
    ]
    return html(f"전기차 보조금 기준 {name}", "".join(lines), published="2025-03-05", language="ko")


class Sites:
    def __init__(self, zoo: Zoo, capacity: int) -> None:
        self.by_host: dict[str, BoundedSite] = {}
        for host in (*self._hosts("hot", HOT_HOSTS), *self._hosts("cold", COLD_HOSTS)):
            self.by_host[host] = BoundedSite(capacity)
            zoo.site(host, self.by_host[host])
        self.hot = [f"https://{host}/{page}" for host in self._hosts("hot", HOT_HOSTS) for page in range(HOT_EACH)]
        self.cold = [f"https://{host}/{page}" for host in self._hosts("cold", COLD_HOSTS) for page in range(COLD_EACH)]

    def figures(self) -> dict[str, int]:
        totals = Counter[str]()
        for site in self.by_host.values():
            totals.update({"downloads": site.answered, "refused": site.refused})
        return {**totals, "most_at_once": max(site.most_at_once for site in self.by_host.values())}

    @staticmethod
    def _hosts(kind: str, number: int) -> list[str]:
        return [f"{kind}{index}.go.kr" for index in range(number)]
