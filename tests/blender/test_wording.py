# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages about settings use the labels of the interface."""

from __future__ import annotations

from pathlib import Path

import pytest

from addon.settings import schema
from addon.wording import Wording

SHAPE = Path("/tmp/heat.rate/shapes/000.obj")
NAMES = {
    "bodies": ["Wax block", "particle_spacing"],
    "colliders": ["Plate"],
    "heaters": ["Torch"],
    "tools": ["Comb"],
    "outflows": [],
}
NAMES |= {"bodies[0].pins": ["top", "left"], "bodies[1].pins": []}


@pytest.fixture(scope="module")
def wording() -> Wording:
    return Wording(schema.load(), NAMES, {SHAPE: "Wax block"})


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("bodies[0].heat.liquidus", "'Wax block': Heat > Liquidus: "),
        ("bodies[1].material.repulsion_exponent", "'particle_spacing': Material > Repulsion Exponent: "),
        ("bodies[0].material.molten.yield_stress", "'Wax block': Material > Molten > Yield Stress: "),
        ("bodies[0].material.type", "'Wax block': Material: "),
        ("bodies[0].velocity[1]", "'Wax block': Velocity Y: "),
        ("bodies[0].shape", "'Wax block': "),
        ("colliders[0].temperatures[3].value", "'Plate': Temperature: "),
        ("heaters[0].effect.power", "'Torch': Effect > Power: "),
        ("tools[0].action", "'Comb': Action: "),
        ("tools[0].shape.path", "'Comb': "),
        ("tools[0].shape.type", "'Comb': Shape: "),
        ("colliders[0].shape.radius", "'Plate': Shape > Radius: "),
        ("heaters[0].shape.size[2]", "'Torch': Shape > Size Z: "),
        ("bodies[0].pins[1].vertices", "'Wax block': Pin 'left': "),
        ("bodies[0].pins[1]", "'Wax block': Pin 'left': "),
        ("bodies[0].pins[2]", "'Wax block': pins[2]: "),
        ("bodies[1].pins[0].motion", "'particle_spacing': pins[0].motion: "),
        ("output", "Scene tab > Output: "),
        ("output.volume.grids[2]", "Scene tab > Output > Volume > Grids: "),
        # Values without a setting in the interface.
        ("colliders[0].motion[3].transform.scale[2]", "'Plate': motion[3].transform.scale[2]: "),
        ("bodies[7].heat.liquidus", "bodies[7].heat.liquidus: "),
        ("gravity[1]", "gravity[1]: "),
        ("bodies", ""),
        ("", ""),
    ],
)
def test_places(wording: Wording, path: str, place: str) -> None:
    assert wording.error("must be 3", path) == f"{place}must be 3"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            'heater "Torch" does nothing, as no heat flows; set `heat` in the scene to let it flow',
            'heater "Torch" does nothing, as no heat flows; switch on Heat in the Scene tab to let it flow',
        ),
        (
            'body "particle_spacing" has few; a smaller particle_spacing',
            'body "particle_spacing" has few; a smaller Particle Spacing',
        ),
        ("must be above the attraction_exponent, 9, but is 9", "must be above the Attraction Exponent, 9, but is 9"),
        ("leave out one of `thickness` and `inverted`", "leave out one of Thickness and Inverted"),
        ("lower heat.rate, or `smoothing_length`", "lower Heat > Rate, or Smoothing Length"),
        ("the skin of body 0 is not one", 'the skin of body "Wax block" is not one'),
        ("e.g. `motion` in /tmp/heat.rate/a.obj of body 7", "e.g. `motion` in /tmp/heat.rate/a.obj of body 7"),
    ],
)
def test_sentences(wording: Wording, said: str, told: str) -> None:
    assert wording.sentence(said) == told


def test_objects_are_named_once_and_files_of_an_export_never(wording: Wording) -> None:
    open_mesh = f"the mesh is open (mesh file {SHAPE})\nclose it"
    assert wording.error(open_mesh, "bodies[0].shape") == "'Wax block': the mesh is open\nclose it"
    assert wording.error(open_mesh) == "'Wax block': the mesh is open\nclose it"
    inside = '"Wax block" lies wholly inside a collider'
    assert wording.error(f"{inside} (mesh file {SHAPE})", "bodies[0].shape") == inside
