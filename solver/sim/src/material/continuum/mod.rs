//! Incompressible matter that moves on a grid: what an artist calls water, honey, dough, jelly or clay.
//!
//! | module | what it knows |
//! |---|---|
//! | [`model`] | the material's settings |
//! | [`warnings`] | and what of them does nothing, or less than they say |
//! | [`law`] | stress, and how matter flows |
//! | [`fracture`] | when and how matter breaks |
//! | [`fluids`] | what the particles of each body bring to a step |
//! | [`cells`] | the particles, sorted by cells of the grid |
//! | [`islands`] | matter that lies apart |
//! | [`pieces`] | and what has come apart |
//! | [`fastest`] | the fastest matter of an island |
//! | [`waves`] | the waves that bound its steps |
//! | [`clusters`] | what may meet, and so takes steps together |
//! | [`weights`] | how much each particle counts at the nodes around it |
//! | [`scatter`] | from particles to the grid |
//! | [`gather`] | from the grid to particles |
//! | [`flip`] | what particles keep of their velocities in short steps |
//! | [`scalars`] | what else particles carry, to the grid and back |
//! | [`walls`] | what of the grid walls cover, and how they drag |
//! | [`wall_blocks`] | the same, kept from step to step |
//! | [`moving_blocks`] | and where walls move |
//! | [`half_cells`] | how it follows from distances |
//! | [`wall_distances`] | the distances |
//! | [`thin_walls`] | walls that are thinner than cells |
//! | [`raised_walls`] | and walls on which sheets lie |
//! | [`surface`] | the free surface of thin liquids |
//! | [`tight`] | places between walls where a particle has no room |
//! | [`surroundings`] | what matter reaches past no wall, and what thin walls part |
//! | [`meeting`] | which walls matter meets on its grid, and which in contacts |
//! | [`wetting`] | where matter lies at walls |
//! | [`coulomb`] | Coulomb's law |
//! | [`friction`] | how walls hold solids on the grid |
//! | [`contact`] | how solids hold each other, and walls them |
//! | [`touching`] | where they touch |
//! | [`beyond`] | velocities beyond walls that they touch |
//! | [`separation`] | and in which plane |
//! | [`elastic`] | the stresses of particles in a step |
//! | [`grains`] | the pressures by which grains hold each other |
//! | [`stiffness`] | how stiff that makes the differences on the grid |
//! | [`cracks`] | cells of broken matter, which come apart |
//! | [`cuts`] | what thin walls part |
//! | [`process_zone`] | what has broken, which moves with the fragments beside it |
//! | [`assembly`] | the equations of a step |
//! | [`fringe`] | velocities that no pressure reaches |
//! | [`ghosts`] | velocities in walls, by which particles follow them |
//! | [`coat`] | what stays on sticky walls when the rest leaves them |
//! | [`density`] | how dense particles lie in half cells |
//! | [`tension`] | surface tension |
//! | [`strays`] | particles that ride on a surface with tension |
//! | [`closeness`] | how particles that come close make room |
//! | [`crowding`] | how crowded cells make room |
//! | [`balance`] | what no force within matter does |
//! | [`freedom`] | what walls leave free of it |
//! | [`pace`] | how long steps may be |
//! | [`step`] | one step of an island |
//! | [`group`] | of islands that touch |
//! | [`grid_flow`] | all of it |
//! | [`interface`] | which particles lie at other matter |
//! | [`interface_forces`] | and how both push each other |

mod advection;
mod assembly;
mod balance;
mod beyond;
mod cells;
mod closeness;
mod clusters;
mod coat;
mod contact;
mod coulomb;
mod cracks;
mod crowding;
mod cuts;
mod density;
mod elastic;
mod fastest;
mod flip;
mod fluids;
mod fracture;
mod freedom;
mod friction;
mod fringe;
mod gather;
mod ghosts;
mod grains;
mod grid_flow;
mod group;
mod half_cells;
mod interface;
mod interface_forces;
mod islands;
mod law;
mod meeting;
mod model;
mod moving_blocks;
mod near_colliders;
pub mod pace;
mod pieces;
mod process_zone;
mod raised_walls;
mod scalars;
mod scatter;
mod separation;
mod step;
mod stiffness;
mod strays;
mod surface;
mod surfaces;
mod surroundings;
mod tension;
mod thin_walls;
mod tight;
mod touching;
mod wall_blocks;
mod wall_distances;
mod wall_motion;
mod wall_pieces;
mod walls;
mod warnings;
pub mod waves;
mod weights;
mod wetting;

pub use cells::{Cells, Placing, Point, moving_axes};
pub use clusters::{Pace, Pacing, shared_step};
pub use flip::Flip;
pub use grid_flow::{Conditions, GridFlow, slots_of};
pub use interface::{Displaced, Interface, Way};
pub use interface_forces::InterfaceSolver;
pub use islands::{Island, SortedIslands};
pub use law::{UNSTRETCHED, is_stretch};
pub use model::{FilmLaw, Fluid};
pub use scalars::{at_particles, sums_in_cells};
pub use walls::NearWalls;
