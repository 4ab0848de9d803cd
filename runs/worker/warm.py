"""What executing runs needs, built before the worker forks: its children share it instead of loading it each."""

from packs import compliance
from packs.sandbox.announcement import announce_confinement
from packs.text import morphemes
from runs.lifecycle.warm import warm_up
from runs.worker.pack_services import pack_services


def warm_up_for_runs() -> None:
    warm_up()
    announce_confinement()
    pack_services()
    morphemes.preload()
    compliance.preload()
