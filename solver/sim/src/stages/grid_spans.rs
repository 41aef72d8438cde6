//! Which matter on a grid takes its next step when: some of it may take several in one of the rest.

use crate::timeline::TICKS;

/// The matter of a span.
#[derive(Debug)]
pub enum Matter {
    All,
    /// The particles in some slots.
    In(Vec<u32>),
}

/// Matter that has reached a tick, and takes steps of its own until another.
#[derive(Debug)]
pub struct Span {
    pub matter: Matter,
    pub from: u32,
    pub to: u32,
}

/// Spans that have not ended, each within a step of the one before it.
#[derive(Debug, Default)]
pub struct Spans(Vec<Span>);

impl Spans {
    /// All matter takes steps until the frame, or a part of one, ends.
    pub fn begin(&mut self) {
        self.0 = vec![Span { matter: Matter::All, from: 0, to: TICKS }];
    }

    /// The tick at which the next step begins.
    pub fn next(&self) -> u32 {
        self.0.last().map_or(TICKS, |span| span.from)
    }

    /// The matter that takes its next step at a tick.
    pub fn take_due(&mut self, tick: u32) -> Option<Span> {
        self.0.pop_if(|span| span.from <= tick)
    }

    /// The matter of a span takes a step of so many ticks; that in some slots takes shorter ones meanwhile.
    pub fn go_on(&mut self, mut span: Span, step: u32, slots: Vec<u32>) {
        let (from, to) = (span.from, span.from + step);
        span.from = to;
        self.0.extend((span.from < span.to).then_some(span));
        self.0.extend((!slots.is_empty()).then_some(Span { matter: Matter::In(slots), from, to }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slots of what steps, with where each step begins and ends: `step` gives the ticks of a step of a span, and
    /// the slots that take shorter ones.
    fn run(mut step: impl FnMut(&Span) -> (u32, Vec<u32>)) -> Vec<(usize, u32, u32)> {
        let (mut spans, mut taken) = (Spans::default(), Vec::new());
        spans.begin();
        while spans.next() < TICKS {
            let tick = spans.next();
            while let Some(span) = spans.take_due(tick) {
                let (ticks, slots) = step(&span);
                let all = if let Matter::In(slots) = &span.matter { slots.len() } else { 0 };
                taken.push((all, span.from, span.from + ticks));
                spans.go_on(span, ticks, slots);
            }
        }
        taken
    }

    #[test]
    fn shorter_steps_lie_within_longer_ones() {
        let half = TICKS / 2;
        let taken = run(|span| match &span.matter {
            Matter::All => (half, vec![7, 8, 9]),
            Matter::In(slots) if slots.len() == 3 => (half / 2, vec![7]),
            Matter::In(_) => (half / 4, Vec::new()),
        });
        let in_half = |from: u32| {
            let quarter = |from: u32| {
                vec![(3, from, from + half / 2), (1, from, from + half / 4), (1, from + half / 4, from + half / 2)]
            };
            [vec![(0, from, from + half)], quarter(from), quarter(from + half / 2)].concat()
        };
        assert_eq!(taken, [in_half(0), in_half(half)].concat());
    }
}
