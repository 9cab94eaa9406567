"""The curve of the vector tier as a small SVG: known errors answered rightly over unknown ones answered."""

from __future__ import annotations

from collections.abc import Sequence

_WIDTH, _HEIGHT, _LEFT, _TOP = 560, 320, 60, 20
_ACROSS, _UP = 0.15, 0.40


def plot(points: Sequence[tuple[float, float, float]], size: int) -> str:
    """`points`: how many more were needed, the share of unknown errors answered, of known ones answered rightly."""
    spots = [(_x(false), _y(right), shift) for shift, false, right in points if false <= _ACROSS and right <= _UP]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in spots)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{5 if shift == 0 else 3}" fill="#2563eb"/>'
        f'<text x="{x + 7:.1f}" y="{y + 12:.1f}">{shift:+.1f}</text>'
        for x, y, shift in spots
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif"'
        ' font-size="11" fill="#334155">\n'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>\n{_grid()}\n'
        f'<line x1="{_x(0.05):.1f}" x2="{_x(0.05):.1f}" y1="{_TOP}" y2="{_y(0):.1f}" stroke="#dc2626"'
        ' stroke-dasharray="4 3"/>\n'
        f'<polyline points="{line}" fill="none" stroke="#2563eb" stroke-width="1.5"/>\n{dots}\n'
        f'<text x="{_LEFT}" y="{_HEIGHT - 4}">unknown errors answered, base of {size:,}'
        " (dashed: the ceiling, 5 %)</text>\n"
        f'<text x="{_LEFT}" y="13">known errors answered rightly; the numbers: how many points more are needed</text>\n'
        "</svg>\n"
    )


def _x(false: float) -> float:
    return _LEFT + false / _ACROSS * (_WIDTH - _LEFT - 30)


def _y(right: float) -> float:
    return _HEIGHT - 40 - right / _UP * (_HEIGHT - 40 - _TOP)


def _grid() -> str:
    across = "".join(
        f'<text x="{_x(at / 100) - 8:.1f}" y="{_HEIGHT - 24}">{at} %</text>'
        f'<line x1="{_x(at / 100):.1f}" x2="{_x(at / 100):.1f}" y1="{_TOP}" y2="{_y(0):.1f}" stroke="#e2e8f0"/>'
        for at in range(0, 16, 5)
    )
    up = "".join(
        f'<text x="20" y="{_y(at / 100) + 4:.1f}">{at} %</text>'
        f'<line x1="{_LEFT}" x2="{_WIDTH - 30}" y1="{_y(at / 100):.1f}" y2="{_y(at / 100):.1f}" stroke="#e2e8f0"/>'
        for at in range(0, 41, 10)
    )
    return across + up
