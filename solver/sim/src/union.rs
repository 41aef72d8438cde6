//! Disjoint sets that can be united, to find connected parts.

/// Disjoint sets of numbers from 0 on, each set known by its least number.
#[derive(Debug, Clone)]
pub struct Union {
    /// For each number one of its set that is no greater.
    less: Vec<u32>,
}

impl Union {
    /// `count` sets of one number each.
    pub fn new(count: usize) -> Self {
        Self { less: (0..count as u32).collect() }
    }

    /// The least number of the set of `one`.
    pub fn least(&mut self, mut one: u32) -> u32 {
        while self.less[one as usize] != one {
            self.less[one as usize] = self.less[self.less[one as usize] as usize];
            one = self.less[one as usize];
        }
        one
    }

    /// Unites the sets of two numbers.
    pub fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.least(a), self.least(b));
        self.less[a.max(b) as usize] = a.min(b);
    }

    /// For each number the number of its set; sets are counted in the order of their least numbers.
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
