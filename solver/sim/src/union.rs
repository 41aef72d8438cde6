//! Sets that are united: what hangs together.

/// Sets of what is numbered from 0 on, each known by its least number.
#[derive(Debug, Clone)]
pub struct Union {
    /// One of its set that is no greater, of each.
    less: Vec<u32>,
}

impl Union {
    /// So many, each alone.
    pub fn new(count: usize) -> Self {
        Self { less: (0..count as u32).collect() }
    }

    /// The least of the set of one.
    pub fn least(&mut self, mut one: u32) -> u32 {
        while self.less[one as usize] != one {
            self.less[one as usize] = self.less[self.less[one as usize] as usize];
            one = self.less[one as usize];
        }
        one
    }

    /// Makes one set of those of two.
    pub fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.least(a), self.least(b));
        self.less[a.max(b) as usize] = a.min(b);
    }

    /// The number of the set of each, counted in the order of their least.
    pub fn numbered(&mut self) -> Vec<u32> {
        let mut numbers = vec![0; self.less.len()];
        let mut count = 0;
        for one in 0..self.less.len() as u32 {
            let least = self.least(one);
            numbers[one as usize] = if least == one {
                count += 1;
                count - 1
            } else {
                numbers[least as usize]
            };
        }
        numbers
    }
}
