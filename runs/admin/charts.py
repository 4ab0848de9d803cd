"""Plots as inline SVG, drawn on the server: no script, no library. Colours are the stylesheet's, by class."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

WIDTH, HEIGHT = 640, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 8, 8, 22
_PLOT_WIDTH, _PLOT_HEIGHT = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
_TIME_LABELS = 6


@dataclass(frozen=True)
class Series:
    name: str
    colour: str
    """A class of the stylesheet: good, bad, busy, wait, plain."""
    values: Sequence[float | None]
    """None: nothing was measured then, which is not zero."""


def stacked_bars(labels: Sequence[str], series: Sequence[Series], *, label_of: Callable[[float], str]) -> SafeString:
    totals = [sum(one.values[i] or 0 for one in series) for i in range(len(labels))]
    top, parts = _axis(max(totals, default=0), label_of)
    slot = _PLOT_WIDTH / max(len(labels), 1)
    for i in range(len(labels)):
        base = 0.0
        for one in series:
            value = one.values[i] or 0
            if value:
                y, height = _y(base + value, top), value / top * _PLOT_HEIGHT
                parts.append(_rect(_LEFT + i * slot + slot * 0.1, y, slot * 0.8, height, one.colour))
                base += value
    return _drawn(parts, labels, series, label_of)


def lines(labels: Sequence[str], series: Sequence[Series], *, label_of: Callable[[float], str]) -> SafeString:
    highest = max((value for one in series for value in one.values if value is not None), default=0)
    top, parts = _axis(highest, label_of)
    slot = _PLOT_WIDTH / max(len(labels), 1)
    for one in series:
        for stretch in _stretches(one.values):
            points = " ".join(f"{_LEFT + (i + 0.5) * slot:.1f},{_y(value, top):.1f}" for i, value in stretch)
            if len(stretch) > 1:
                parts.append(format_html('<polyline class="line {}" points="{}"/>', one.colour, points))
            else:
                # A line needs two points; one alone would be invisible.
                x, y = points.split(",")
                parts.append(format_html('<circle class="dot {}" cx="{}" cy="{}" r="2.5"/>', one.colour, x, y))
    return _drawn(parts, labels, series, label_of)


def ranking(rows: Sequence[tuple[str, float, str]], *, colour: str) -> SafeString:
    """Horizontal bars, longest first: (name, value, value as label_of)."""
    if not rows:
        return mark_safe('<p class="nothing">Nothing in this window.</p>')
    longest = max(value for _, value, _ in rows) or 1
    return format_html(
        '<table class="ranking">{}</table>',
        format_html_join(
            "",
            '<tr><th scope="row">{}</th><td class="bar"><svg viewBox="0 0 100 10" preserveAspectRatio="none" '
            'aria-hidden="true"><rect class="fill {}" width="{}" height="10"/></svg></td>'
            '<td class="value">{}</td></tr>',
            ((name, colour, f"{max(value / longest * 100, 0.5):.1f}", label) for name, value, label in rows),
        ),
    )


def nice_top(highest: float) -> float:
    """The next 2, 4, 6 or 10 times a power of ten: an axis whose middle people can read, too."""
    size = 1.0
    while size < highest:
        size *= 10
    while size > highest * 10 and highest > 0:
        size /= 10
    for share in (0.2, 0.4, 0.6):
        if highest <= size * share:
            return size * share
    return size


def _axis(highest: float, label_of: Callable[[float], str]) -> tuple[float, list[SafeString]]:
    top = nice_top(highest)
    parts = []
    for fraction in (0.0, 0.5, 1.0):
        y = _y(top * fraction, top)
        parts.append(
            format_html(
                '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/><text class="tick" x="{}" y="{}">{}</text>',
                *(_LEFT, WIDTH - _RIGHT, f"{y:.1f}", f"{y:.1f}", _LEFT - 6, f"{y + 4:.1f}", label_of(top * fraction)),
            )
        )
    return top, parts


def _drawn(
    parts: list[SafeString], labels: Sequence[str], series: Sequence[Series], label_of: Callable[[float], str]
) -> SafeString:
    slot = _PLOT_WIDTH / max(len(labels), 1)
    step = max(1, -(-len(labels) // _TIME_LABELS))
    for i, label in enumerate(labels):
        x = _LEFT + i * slot
        if i % step == 0:
            parts.append(
                format_html('<text class="time" x="{}" y="{}">{}</text>', f"{x + slot / 2:.1f}", HEIGHT - 6, label)
            )
        values = "\n".join(
            f"{one.name}: {'–' if one.values[i] is None else label_of(one.values[i] or 0)}" for one in series
        )
        parts.append(
            format_html(
                '<rect class="hover" x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>',
                *(f"{x:.1f}", _TOP, f"{slot:.1f}", _PLOT_HEIGHT, f"{label}\n{values}"),
            )
        )
    legend = format_html_join(
        "", '<span class="key"><i class="{}"></i>{}</span>', ((one.colour, one.name) for one in series)
    )
    return format_html(
        '<div class="legend">{}</div><svg class="plot" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        *(legend, WIDTH, HEIGHT, ", ".join(one.name for one in series)),
        format_html_join("", "{}", ((part,) for part in parts)),
    )


def _y(value: float, top: float) -> float:
    return _TOP + _PLOT_HEIGHT * (1 - value / top)


def _rect(x: float, y: float, width: float, height: float, colour: str) -> SafeString:
    return format_html(
        '<rect class="fill {}" x="{}" y="{}" width="{}" height="{}"/>',
        *(colour, f"{x:.1f}", f"{y:.1f}", f"{width:.1f}", f"{height:.1f}"),
    )


def _stretches(values: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    """The unbroken parts of a line."""
    found: list[list[tuple[int, float]]] = [[]]
    for i, value in enumerate(values):
        if value is not None:
            found[-1].append((i, value))
        elif found[-1]:
            found.append([])
    return [stretch for stretch in found if stretch]
