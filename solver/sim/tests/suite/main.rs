//! The physics through its public interface.
// Figures are printed for use with --nocapture; exact comparisons are of values that must be exact.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::float_cmp)]
// JSON literals read best where they are used.
#![allow(clippy::needless_pass_by_value)]

mod body_contact;
mod bonds;
mod breaking;
mod clusters;
mod columns;
mod common;
mod conservation;
mod contact_melting;
mod continuum;
mod continuum_extremes;

mod cutters;
mod dam_break;
mod extremes;
mod field;
mod frame_rates;
mod fusion;
mod geometry;
mod granular;
mod grid_steps;
mod heat;
mod held;
mod interface;
mod kernel;
mod layers;
mod melting;
mod neighbours;
mod oriented;
mod packing;
mod pieces;
mod pistons;
mod plane;
mod preset_pairs;
mod raised_walls;
mod reactions;
mod removal;
mod reshaped;
mod rest;
mod sheet_contacts;
mod sleep;
mod soft;
mod state_equations;
mod steps;
mod sticking;
mod strength;
mod surface_tension;
mod thermal;
mod thin_walls;
mod timeline;
mod viscoelastic;
mod wall_contact;
mod walls;
