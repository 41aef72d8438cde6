//! Runs loops with the machine's vector instructions.

// Only functions inlined into a task of `pulp::Arch::dispatch` use its vector instructions.
#![allow(clippy::inline_always)]

use pulp::{Arch, NullaryFnOnce};

/// A closure as a task of [`Arch::dispatch`].
///
/// That takes closures itself, but calls them by `FnOnce`. For a closure that can be called twice the compiler then
/// makes an adapter, which is not inlined, so the loop would run without the instructions. `FnMut` needs no adapter.
struct ClosureTask<F>(F);

impl<R, F: FnMut() -> R> NullaryFnOnce for ClosureTask<F> {
    type Output = R;

    #[inline(always)]
    fn call(mut self) -> R {
        (self.0)()
    }
}

/// Runs a loop with the machine's vector instructions. The closure must be marked `#[inline(always)]`, as must all that
/// it calls; iterators with closures of their own may not be inlined.
#[inline(always)]
pub(crate) fn vectorized<R>(arch: Arch, run: impl FnMut() -> R) -> R {
    arch.dispatch(ClosureTask(run))
}
