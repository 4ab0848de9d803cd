"""MiniStack: one process that speaks S3 and SQS.

It writes its queues down only when stopped in good order. After a kill -9 the objects are there and the
queues may not be: whoever starts it bootstraps them again.
"""

import sys
import urllib.request
from pathlib import Path
from typing import ClassVar

from devstack.programs import Order
from devstack.service import Service, plain_environment, private_directory

REGION = "us-east-1"


class MiniStack(Service):
    name: ClassVar[str] = "ministack"
    title: ClassVar[str] = "S3 and SQS"

    def __init__(self, home: Path, port: int, *, access_key_id: str, secret_access_key: str) -> None:
        super().__init__(home, port)
        self.access_key_id = access_key_id
        self.secret_access_key = secret_access_key

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def check(self) -> None:
        # Without any proxy of the environment: this is loopback.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self.url}/_ministack/ready", timeout=2):
            pass

    def _prepare(self) -> Order:
        private_directory(self.data)
        temporary = private_directory(self.data / "tmp")
        return Order(
            argv=[sys.executable, "-m", "ministack"],
            cwd=self.data,
            env={
                **plain_environment(),
                "GATEWAY_PORT": str(self.port),
                "BIND_HOST": "127.0.0.1",  # it listens on all interfaces otherwise
                "SERVICES": "s3,sqs",
                # Listeners of other services, on fixed ports that may be taken.
                "SFTP_ENABLED": "0",
                "IOT_MTLS_ENABLED": "0",
                "AUTH": "true",
                "AWS_ACCESS_KEY_ID": self.access_key_id,
                "AWS_SECRET_ACCESS_KEY": self.secret_access_key,
                "MINISTACK_REGION": REGION,
                "PERSIST_STATE": "1",
                "STATE_DIR": str(self.data / "state"),
                "S3_PERSIST": "1",
                "S3_DATA_DIR": str(self.data / "s3"),
                "TMPDIR": str(temporary),
                "LOG_LEVEL": "WARNING",
                "PYTHONUNBUFFERED": "1",
                # No daemon to look for: it would try to tidy up containers.
                "DOCKER_HOST": f"unix://{temporary}/no-docker.sock",
            },
        )
