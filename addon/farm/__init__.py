# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes jobs for render farms: the exported scene, a copy of the .blend that shows the future bake, and the job."""
