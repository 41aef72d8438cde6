use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The material of a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Material {
    /// Soft, viscous matter of smoothed particles (Desbrun and Gascuel 1996).
    Smoothed(Smoothed),
    /// Matter whose particles are bonded to each other, solid until it melts (Tonnesen 1992).
    Thermal(Thermal),
    /// A sheet of oriented particles that bends, stretches and tears (Tonnesen 1992): cloth, rubber, film.
    Oriented(Oriented),
    /// Dough, clay and toffee: few particles that attract and rub each other, in a smooth skin that keeps its volume
    /// (Desbrun and Gascuel 1995).
    Soft(Soft),
    /// Liquids from water to honey and tar, pastes, dough, clay and jelly, told in the numbers of a table of materials:
    /// what they do does not depend on the particle spacing.
    Continuum(Continuum),
}

impl Default for Material {
    fn default() -> Self {
        Self::Continuum(Continuum::default())
    }
}

/// Incompressible matter, solved on a grid under its particles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Continuum {
    /// Density of the matter, which keeps its volume.
    #[schemars(range(min = 1e-3, max = 1e5), extend("x-unit" = "kg/m^3"))]
    pub rest_density: f64,
    /// Dynamic viscosity, as tables list it: water 0.001, olive oil 0.08, glycerine 1.4, honey 10, syrup 50, lava 100
    /// to 500, tar 1000 to 100 000.
    #[schemars(range(min = 0.0, max = 1e9), extend("x-unit" = "Pa s"))]
    pub viscosity: f64,
    /// Elastic resistance to shear of matter that keeps its shape: jelly 1500 to 5000, bread dough 5000, clay 100 000
    /// to 1 000 000. 0 is a liquid; matter with a yield stress or a consistency and 0 is so stiff that it hardly shows.
    #[schemars(range(min = 0.0, max = 1e9), extend("x-unit" = "Pa"))]
    pub shear_modulus: f64,
    /// Shear stress above which matter flows: ketchup 15 to 50, mud 50 to 200, whipped cream 100 to 400, toothpaste
    /// 200, dough 500, clay 5000 to 20 000. With 0, matter with a consistency flows at any stress, other matter with a
    /// shear modulus at none.
    #[schemars(range(min = 0.0, max = 1e9), extend("x-unit" = "Pa"))]
    pub yield_stress: f64,
    /// Angle of internal friction, for grains: the steepest slope that a layer of them stands on. Dry sand 34, gravel
    /// 38, grain 25, snow 30 with a yield stress of 500 that makes it stick. The more grains are pressed together the
    /// later they flow: the yield stress grows by the tangent of this angle times the pressure. 0 for all other matter.
    #[schemars(range(min = 0.0, max = 45.0), extend("x-unit" = "degrees"))]
    pub friction_angle: f64,
    /// How much more stress flow at a rate takes: the stress is the yield stress plus this times the rate to the power
    /// of the flow index, besides that of the viscosity (Herschel and Bulkley). Ketchup 15 with an index of 0.4,
    /// toothpaste 100 with 0.3, dough 4000 with 0.5.
    #[schemars(range(min = 0.0, max = 1e9), extend("x-unit" = "Pa s^n"))]
    pub consistency: f64,
    /// Power of the rate of flow that the consistency counts with: 1 is a constant viscosity, less is matter that gets
    /// thinner when stirred.
    #[schemars(range(min = 0.1, max = 2.0))]
    pub flow_index: f64,
    /// Tensile strength: the largest tension that matter with a shear modulus or a yield stress bears before it breaks:
    /// jelly 3000 to 10 000, clay 20 000 to 50 000, the crust of lava 100 000, ice and chocolate 1 000 000. 0 never
    /// breaks. What melts heals.
    #[schemars(range(min = 0.0, max = 1e9), extend("x-unit" = "Pa"))]
    pub strength: f64,
    /// Energy that a crack takes, over its area: jelly 1 to 10, clay 10, ice 1; high for matter that is torn slowly, 0
    /// for what snaps.
    #[schemars(range(min = 0.0, max = 1e6), extend("x-unit" = "J/m^2"))]
    pub fracture_energy: f64,
    /// Pull of the surface, which rounds drops and holds strands together: water 0.072, honey 0.06, oil 0.032. It shows
    /// in what is smaller than about a centimetre.
    #[schemars(range(min = 0.0, max = 10.0), extend("x-unit" = "N/m"))]
    pub surface_tension: f64,
    /// Angle, in the matter, at which its surface meets walls: 0 wets them, 90 neither, 180 beads. Water on glass 20,
    /// on wood 60, on wax 110, honey on a plate 40.
    #[schemars(range(min = 0.0, max = 180.0), extend("x-unit" = "degrees"))]
    pub contact_angle: f64,
    /// Friction of matter with a shear modulus on other such bodies that it touches, over the force that presses them
    /// together; between two bodies the mean of their settings counts.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub contact_friction: f64,
    /// Whether matter with a shear modulus is one with other matter that does so, and with liquids, where it touches
    /// these: pieces of wet dough, or a shape that is made of several bodies. Others keep apart from what they touch.
    pub fuses: bool,
    /// The pressure from which on matter with a shear modulus that is pressed onto another such body becomes one with
    /// it (after DG95 section 5.2): pieces of dough 600, of clay 10 000. Between two bodies the larger of their
    /// settings counts; with 0 of either they never do.
    #[schemars(range(min = 0.0, max = 1e9), extend("x-unit" = "Pa"))]
    pub fusion_pressure: f64,
    /// Properties of the matter when it has melted, where heat flows; leave them out for matter that stays as it is.
    /// Between its solidus and its liquidus the matter goes over from one to the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub molten: Option<ContinuumMolten>,
}

/// Matter that has melted: by default a thin liquid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContinuumMolten {
    /// Viscosity when all has melted: water 0.001, wax 0.004, chocolate 3, lava at 1150 C 100 to 500. In between, each
    /// per cent that melts changes it by the same factor.
    #[schemars(range(min = 0.0, max = 1e9), extend("x-unit" = "Pa s"))]
    pub viscosity: f64,
    /// How much thinner the melt gets as it is heated beyond its liquidus, where it has its viscosity (Arrhenius's
    /// law): water 16 000, oil 30 000, honey 100 000, basalt 200 000, glass 400 000. With 0 it stays as it is.
    #[schemars(range(min = 0.0, max = 1e7), extend("x-unit" = "J/mol"))]
    pub activation_energy: f64,
    /// Shear modulus when all has melted. In between it goes over evenly, as the next two do.
    #[schemars(range(min = 0.0, max = 1e9), extend("x-unit" = "Pa"))]
    pub shear_modulus: f64,
    /// Yield stress when all has melted: chocolate 10, lava 100 to 1000.
    #[schemars(range(min = 0.0, max = 1e9), extend("x-unit" = "Pa"))]
    pub yield_stress: f64,
    /// Consistency when all has melted, with the flow index of the matter.
    #[schemars(range(min = 0.0, max = 1e9), extend("x-unit" = "Pa s^n"))]
    pub consistency: f64,
}

impl Default for ContinuumMolten {
    fn default() -> Self {
        Self { viscosity: 0.1, activation_energy: 0.0, shear_modulus: 0.0, yield_stress: 0.0, consistency: 0.0 }
    }
}

impl Default for Continuum {
    fn default() -> Self {
        Self {
            rest_density: 1000.0,
            viscosity: 10.0,
            shear_modulus: 0.0,
            yield_stress: 0.0,
            friction_angle: 0.0,
            consistency: 0.0,
            flow_index: 1.0,
            strength: 0.0,
            fracture_energy: 0.0,
            surface_tension: 0.0,
            contact_angle: 60.0,
            contact_friction: 0.5,
            fuses: false,
            fusion_pressure: 0.0,
            molten: None,
        }
    }
}

/// Smoothed particles: pressure by a state equation, and viscosity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Smoothed {
    /// Density of the matter when nothing presses on it; for an ideal gas, the density that its body is filled with. A
    /// gas that has spread to less than half of that presses less than it should; at less than a tenth its particles
    /// lose touch.
    #[schemars(range(min = 1e-3, max = 1e5), extend("x-unit" = "kg/m^3"))]
    pub rest_density: f64,
    /// How pressure follows from density.
    pub state_equation: StateEquation,
    /// Resistance to compression, k of DG96 (6), the square of the speed of sound. A column of height H is compressed
    /// at its foot by g H / k. A gas of this stiffness has the pressure k times its density: the hotter, the higher.
    #[schemars(range(min = 1e-3, max = 1e8), extend("x-unit" = "m^2/s^2"))]
    pub stiffness: f64,
    /// Thickness of the flow, c of DG96 (5): water 0.5, honey 5, batter 20, dough 100 to 300 for matter of half a metre
    /// at a spacing of 5 cm. It is a speed: the kinematic viscosity is about c times the smoothing length over 20, so a
    /// finer spacing needs a higher c for the same flow, and larger matter flows faster. Above the square root of the
    /// stiffness it makes for shorter time steps.
    #[schemars(range(min = 0.0, max = 1e4), extend("x-unit" = "m/s"))]
    pub viscosity: f64,
    /// How much of the pull of DG96 (6) acts where matter is thinner than at rest: 0 none, as for splashing water; 1
    /// all, as in the paper. A gas in a vacuum has no pull; in ambient air the pull draws back a gas that has spread
    /// too far.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub cohesion: f64,
    /// Strength: the shear stress below which the matter stands as an elastic solid, and above which it flows. Ketchup
    /// 15 to 50, mayonnaise 100, toothpaste 200, clay some thousands; 0 none, as water and oil. A layer of thickness H
    /// stands on a slope of angle a if density g H sin a is less. The shear modulus is a quarter of the density times
    /// the stiffness; a strength above a tenth of that makes for rubber rather than paste. Not for gases.
    #[schemars(range(min = 0.0, max = 1e8), extend("x-unit" = "Pa"))]
    pub yield_stress: f64,
    /// Properties of the matter when it has melted, where heat flows; leave them out for matter that stays as it is.
    /// Between its solidus and its liquidus the matter goes over from one to the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub molten: Option<Molten>,
}

/// Smoothed particles that have melted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Molten {
    /// Stiffness when all has melted. In between, each per cent that melts changes it by the same factor.
    #[schemars(range(min = 1e-3, max = 1e8), extend("x-unit" = "m^2/s^2"))]
    pub stiffness: f64,
    /// Viscosity when all has melted. In between, each per cent that melts changes it by the same factor.
    #[schemars(range(min = 0.0, max = 1e4), extend("x-unit" = "m/s"))]
    pub viscosity: f64,
    /// Cohesion when all has melted.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub cohesion: f64,
    /// Yield stress when all has melted. In between it goes over evenly.
    #[schemars(range(min = 0.0, max = 1e8), extend("x-unit" = "Pa"))]
    pub yield_stress: f64,
}

impl Default for Molten {
    fn default() -> Self {
        Self { stiffness: 1000.0, viscosity: 2.0, cohesion: 0.05, yield_stress: 0.0 }
    }
}

impl Default for Smoothed {
    fn default() -> Self {
        Self {
            rest_density: 1000.0,
            state_equation: StateEquation::Linear,
            stiffness: 1000.0,
            viscosity: 5.0,
            cohesion: 0.05,
            yield_stress: 0.0,
            molten: None,
        }
    }
}

/// How pressure P follows from density, with k the stiffness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StateEquation {
    /// P = k (density - `rest_density`), DG96 (6): matter that keeps its volume, the paper's own.
    Linear,
    /// Tait's equation for liquids, P = k `rest_density` / 7 ((density / `rest_density`)^7 - 1): stiffens as it is
    /// pressed and hardly resists being drawn out.
    Tait,
    /// P = k density less the pressure of the ambient air (DG96 section 2.2): a gas of even temperature, which fills a
    /// closed box, and spreads without end in a vacuum.
    IdealGas,
}

/// Thermal particles: pairs are bound by a Lennard-Jones potential, which heat weakens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Thermal {
    /// Density of the matter when nothing presses on it.
    #[schemars(range(min = 1e-3, max = 1e5), extend("x-unit" = "kg/m^3"))]
    pub rest_density: f64,
    /// Energy that parts two neighbours for good, by the mass of one, while the matter is solid (epsilon of T92 (19)).
    /// It makes both stiffness and strength: sound travels at the square root of it times both exponents, so four times
    /// the energy takes twice the steps. Matter up to half a metre high stands firm at 5, higher matter at more in
    /// proportion; see docs/heat.md.
    #[schemars(range(min = 1e-4, max = 1e6), extend("x-unit" = "J/kg"))]
    pub dissociation_energy: f64,
    /// How steeply neighbours repel each other when they come closer, n of T92 (19). High exponents make for a narrow
    /// well: matter that is stiff and brittle; low ones for matter that stretches before it breaks. Above
    /// `attraction_exponent`.
    #[schemars(range(min = 5, max = 24))]
    pub repulsion_exponent: u8,
    /// How steeply the attraction of neighbours ends, m of T92 (19).
    #[schemars(range(min = 3, max = 23))]
    pub attraction_exponent: u8,
    /// How fast motion within the solid dies away, on the scale of the viscosity of smoothed matter. It does not make
    /// it flow.
    #[schemars(range(min = 0.0, max = 1e4), extend("x-unit" = "m/s"))]
    pub viscosity: f64,
    /// Properties of the matter when it has melted, where heat flows. Between its solidus and its liquidus the matter
    /// goes over from one to the other.
    pub molten: ThermalMolten,
}

/// Thermal particles that have melted: a liquid that keeps its volume by pressure, as smoothed matter does, with weak
/// bonds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ThermalMolten {
    /// Dissociation energy when all has melted: the melt's surface tension. In between, each per cent that melts
    /// changes it by the same factor. Above about a hundredth of the acceleration of gravity times the matter's height,
    /// the melt keeps edges and steps.
    #[schemars(range(min = 0.0, max = 1e6), extend("x-unit" = "J/kg"))]
    pub dissociation_energy: f64,
    /// Resistance of the melt to compression, the square of its speed of sound.
    #[schemars(range(min = 1e-3, max = 1e8), extend("x-unit" = "m^2/s^2"))]
    pub stiffness: f64,
    /// Thickness of the melt's flow: water 0.5, honey 5, batter 20 for matter of half a metre at a spacing of 5 cm.
    #[schemars(range(min = 0.0, max = 1e4), extend("x-unit" = "m/s"))]
    pub viscosity: f64,
}

impl Default for Thermal {
    fn default() -> Self {
        Self {
            rest_density: 1000.0,
            dissociation_energy: 10.0,
            repulsion_exponent: 12,
            attraction_exponent: 6,
            viscosity: 20.0,
            molten: ThermalMolten::default(),
        }
    }
}

impl Default for ThermalMolten {
    fn default() -> Self {
        Self { dissociation_energy: 0.02, stiffness: 1000.0, viscosity: 5.0 }
    }
}

/// Oriented particles: a sheet, one particle thick, on the faces of its shape, which may be open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Oriented {
    /// Density of the sheet's material. A square metre weighs this times the thickness: shirt cloth 0.15 kg, denim 0.4,
    /// rubber of a millimetre 1.
    #[schemars(range(min = 1e-3, max = 1e5), extend("x-unit" = "kg/m^3"))]
    pub rest_density: f64,
    /// Thickness of the sheet, which makes its weight. With any thickness a sheet keeps about one particle spacing from
    /// itself and half of one from colliders.
    #[schemars(range(min = 1e-6, max = 10.0), extend("x-unit" = "m"))]
    pub thickness: f64,
    /// Tension over strain when the sheet is drawn out: Young's modulus times the thickness. A hanging cloth of length
    /// L stretches by its weight by square metre times gravity times L over this: 1 % for 0.15 kg/m^2 and half a metre
    /// at 75. Four times as much takes twice the steps.
    #[schemars(range(min = 1e-3, max = 1e7), extend("x-unit" = "N/m"))]
    pub stretch_stiffness: f64,
    /// Resistance to bending (flexural rigidity): a sheet that is clamped at one edge hangs over by itself when it is
    /// longer than the cube root of this over its weight by area. Cloth 1e-6 to 1e-4, paper 1e-3, a rubber sheet of a
    /// millimetre 1e-4.
    #[schemars(range(min = 0.0, max = 1e4), extend("x-unit" = "N m"))]
    pub bending_stiffness: f64,
    /// Curvature of the sheet when nothing bends it, one over the radius, positive where it bulges to the side that its
    /// faces look to. For a woven sheet it adds to the curvature of its shape at the first frame, which the sheet
    /// remembers.
    #[schemars(range(min = -1e4, max = 1e4), extend("x-unit" = "1/m"))]
    pub curvature: f64,
    /// Resistance to curvature that is not the same all around (T92 (29)), on the scale of `bending_stiffness`: a sheet
    /// with this resistance alone keeps any roundness, and smooths it.
    #[schemars(range(min = 0.0, max = 1e4), extend("x-unit" = "N m"))]
    pub evenness: f64,
    /// Factor by which neighbours have to be drawn apart for the sheet to tear.
    #[schemars(range(min = 1.05, max = 1.5))]
    pub tear_stretch: f64,
    /// Whether the sheet tears at `tear_stretch`. A woven sheet that does not tear pulls the harder the farther it is
    /// drawn out: a flag that two corners hold stays on them. Its neighbours lose each other only where they are drawn
    /// apart by 1.78 times `discretization.smoothing_length`, 2.2 by default. Tools cut it nevertheless. Nothing keeps
    /// a `free` sheet from tearing.
    pub tears: bool,
    /// Factor by which the sheet's area may grow where it is drawn out, as dough, chewing gum and hot plastic do: the
    /// sheet gives way for good at half of the tension at which it would tear, gets thinner, and particles are born
    /// where others part (T92 section 7). When it has grown by this factor it tears; at 1 it does not grow at all. For
    /// woven sheets.
    #[schemars(range(min = 1.0, max = 64.0))]
    pub growth: f64,
    /// Which particles of the sheet hold together.
    pub structure: Structure,
    /// How fast motion within the sheet dies away, on the scale of the viscosity of smoothed matter.
    #[schemars(range(min = 0.0, max = 1e4), extend("x-unit" = "m/s"))]
    pub viscosity: f64,
    /// Time that sets how fast waves of stretch die away in a woven sheet: a wave of frequency f takes 1 / (20 f^2)
    /// over this until a third of it is left, and no less than a frame or two. Besides its tension, the stiffness times
    /// this time times the rate at which a sheet is drawn out pulls the sheet together. It takes no more steps, and
    /// slows neither bends nor falls. Zero does nothing.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-unit" = "s"))]
    pub stretch_damping: f64,
    /// Properties of the sheet when it has melted, or softened, where heat flows. Between its solidus and its liquidus
    /// the sheet goes over from one to the other.
    pub molten: OrientedMolten,
}

/// A sheet that heat has softened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OrientedMolten {
    /// Part of the stiffness against stretching and bending that is left when all is soft. In between, each per cent
    /// that softens changes it by the same factor.
    #[schemars(range(min = 1e-4, max = 1.0))]
    pub stiffness: f64,
    /// Time in which a soft sheet that is stretched or bent forgets two thirds of the shape that it had, so that it
    /// keeps the new one when it sets.
    #[schemars(range(min = 1e-3, max = 1e6), extend("x-unit" = "s"))]
    pub relaxation: f64,
}

impl Default for OrientedMolten {
    fn default() -> Self {
        Self { stiffness: 0.05, relaxation: 0.5 }
    }
}

impl Default for Oriented {
    fn default() -> Self {
        Self {
            rest_density: 500.0,
            thickness: 5e-4,
            stretch_stiffness: 100.0,
            bending_stiffness: 1e-4,
            curvature: 0.0,
            evenness: 0.0,
            tear_stretch: 1.3,
            tears: true,
            growth: 1.0,
            structure: Structure::Woven,
            viscosity: 2.0,
            stretch_damping: 0.01,
            molten: OrientedMolten::default(),
        }
    }
}

/// Soft particles: pairs attract, repel and rub each other, and a field around each makes the skin of the whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Soft {
    /// Density of the matter when nothing presses on it.
    #[schemars(range(min = 1e-3, max = 1e5), extend("x-unit" = "kg/m^3"))]
    pub rest_density: f64,
    /// Resistance to deformation, and strength of attraction: the square of the speed of sound (lambda of DG95 (1) is a
    /// quarter of the mass of a particle times this). A lump of height H keeps its shape where this is some fifty times
    /// gravity times H. Four times as much takes twice the steps.
    #[schemars(range(min = 1e-3, max = 1e7), extend("x-unit" = "m^2/s^2"))]
    pub stiffness: f64,
    /// Friction that grows with the square of the speed (DG95 (2)): it acts as a viscosity of this times the speed at
    /// which neighbours near or part, and so brakes fast motion and lets slow motion be. That viscosity is at most four
    /// times the speed of sound, the root of the stiffness. As a high viscosity does, it makes for short steps where
    /// neighbours meet fast.
    #[schemars(range(min = 0.0, max = 1e3))]
    pub friction: f64,
    /// How fast motion within the matter dies away, fast or slow, on the scale of the viscosity of smoothed matter.
    /// Together with `stiffness` it tells how soon matter that is drawn out gives way for good.
    #[schemars(range(min = 0.0, max = 1e4), extend("x-unit" = "m/s"))]
    pub viscosity: f64,
    /// The field of a particle; the sum of all fields makes the skin.
    pub field: SoftField,
    /// How far the field of a particle reaches, in particle spacings. Matter whose fields have lost touch is two
    /// pieces, which do not blend when they meet again (DG95 section 4). A wider field makes a smoother skin, and
    /// pieces that part later.
    #[schemars(range(min = 1.15, max = 1.3), extend("x-unit" = "spacings"))]
    pub influence: f64,
    /// How fast the skin gives or takes where a particle's part of the matter is too large or too small (alpha of DG95
    /// section 3.3, by the particle spacing); 0 leaves volumes alone.
    #[schemars(range(min = 0.0, max = 1e3), extend("x-unit" = "1/s"))]
    pub volume_rate: f64,
    /// How much the skin gives or takes at once as a particle's part of the matter changes (beta of DG95 section 3.3,
    /// by the particle spacing).
    #[schemars(range(min = 0.0, max = 100.0))]
    pub volume_damping: f64,
    /// The pressure from which on pieces that are pressed together fuse where it acts (DG95 section 5.2); between two
    /// bodies the larger of their settings counts. At 0 pieces never fuse.
    #[schemars(range(min = 0.0, max = 1e9), extend("x-unit" = "Pa"))]
    pub fusion_pressure: f64,
    /// Friction of pieces that slide on each other, over the force that presses them together.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub contact_friction: f64,
}

impl Default for Soft {
    fn default() -> Self {
        Self {
            rest_density: 1000.0,
            stiffness: 200.0,
            friction: 2.0,
            viscosity: 5.0,
            field: SoftField::Polynomial,
            influence: 1.25,
            volume_rate: 10.0,
            volume_damping: 1.0,
            fusion_pressure: 0.0,
            contact_friction: 0.5,
        }
    }
}

/// The field of a soft particle by the distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SoftField {
    /// A bounded polynomial (T92 section 6.2.1), (1 - (r / R)^2)^3: the roundest, for most matter.
    Polynomial,
    /// Blinn's exponential (T92 section 6.2.1), which falls off faster, let down to end at R.
    Blinn,
    /// The inverse cube of the distance (DG95 section 2.2), let down to end at R: particles show through the skin.
    InverseCube,
}

/// Which particles of a sheet hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Structure {
    /// Particles that were beside each other at the first frame, until they tear apart, at the distance that they had:
    /// cloth, rubber, paper. A tear does not join again.
    Woven,
    /// Particles that lie beside each other at any time, as in T92: a skin that gives way under shear like dough, and
    /// that joins where edges meet.
    Free,
}
