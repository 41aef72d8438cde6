# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dollop: soft, melting, tearing matter for Blender.

Nothing here imports Blender until the add-on is registered, so that parts which need no Blender work without it.
"""


def register() -> None:
    from . import registration

    registration.register()


def unregister() -> None:
    from . import registration

    registration.unregister()
