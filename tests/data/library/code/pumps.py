"""Pumps of the plant."""

import math

LIMIT = 4


# starts one pump
@math.trace
def start(unit):
    def inner():
        return unit

    return inner()


class Pump:
    """One pump."""

    rate = 1.5

    def stop(self) -> None:
        print("정지")

    class Gauge:
        async def read(self):
            return 0


if __name__ == "__main__":
    start(3)
