# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reasons why a scene cannot be baked."""

from __future__ import annotations


class ExportError(RuntimeError):
    """The scene cannot be baked as it is; one line for each fault to correct."""
