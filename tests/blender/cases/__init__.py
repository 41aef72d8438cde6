# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that run inside Blender: each function whose name starts with `case_` is a test."""
