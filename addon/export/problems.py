# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a scene cannot be baked."""

from __future__ import annotations


class ExportError(RuntimeError):
    """The scene cannot be baked as it is; one line for each thing to put right."""
