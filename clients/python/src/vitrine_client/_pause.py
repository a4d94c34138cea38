"""Waiting, in both clients."""

from __future__ import annotations

import asyncio
import time


def pause(seconds: float) -> None:
    time.sleep(seconds)


async def async_pause(seconds: float) -> None:
    await asyncio.sleep(seconds)
