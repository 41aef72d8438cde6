# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings as the schema declares them: read, turned into Blender properties, and read back as JSON values."""
