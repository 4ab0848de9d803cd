"""Korean particles follow the sound a name ends with."""

import pytest

from packs.text.particles import Name


@pytest.mark.parametrize(
    ("name", "with_particles"),
    [
        ("누리톡", "누리톡이 누리톡과 누리톡은 누리톡을"),
        ("한빛워크", "한빛워크가 한빛워크와 한빛워크는 한빛워크를"),
        ("요금제 3", "요금제 3이 요금제 3과 요금제 3은 요금제 3을"),
        ("2안 5", "2안 5가 2안 5와 2안 5는 2안 5를"),
        ("Vendor A", "Vendor A가 Vendor A와 Vendor A는 Vendor A를"),
        ("Plan M", "Plan M이 Plan M과 Plan M은 Plan M을"),
        ("Slack", "Slack 쪽이 Slack 쪽과 Slack 쪽은 Slack 쪽을"),
        ("AWS", "AWS 쪽이 AWS 쪽과 AWS 쪽은 AWS 쪽을"),
        ("누리톡(신규)", "누리톡(신규) 쪽이 누리톡(신규) 쪽과 누리톡(신규) 쪽은 누리톡(신규) 쪽을"),
    ],
)
def test_a_particle_follows_the_last_sound(name: str, with_particles: str) -> None:
    word = Name(name)
    assert f"{word:이} {word:과} {word:은} {word:을}" == with_particles
    assert f"{word}" == name


def test_an_empty_name_is_no_accident() -> None:
    assert f"{Name(''):이}" == " 쪽이"
