"""A virtual environment per peer, below .peers, made from its locked requirements and made anew when they change."""

import hashlib
import subprocess
import sys
from pathlib import Path

CLONE = Path(__file__).resolve().parent.parent.parent
PROGRAMS = Path(__file__).resolve().parent / "programs"


def python_of(peer: str) -> Path:
    """The interpreter of the peer's environment."""
    home = CLONE / ".peers" / peer
    requirements = Path(__file__).with_name(f"{peer}.txt")
    fingerprint = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()
    stamp = home / "installed"
    if not stamp.exists() or stamp.read_text() != fingerprint:
        print(f"Installing {peer} into {home.relative_to(CLONE)} (once) …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        # The file names every package, also those that others need.
        pip = [home / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        subprocess.run([*pip, "--require-hashes", "--no-deps", "-r", requirements], check=True)
        stamp.write_text(fingerprint)
    return home / "bin" / "python"
