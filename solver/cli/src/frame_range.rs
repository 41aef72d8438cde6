//! Frame lists of the command line: `5`, `1-6`, `1..6`, `7-20:2`, `1-3,5`, `-5..-2`.

use std::fmt;
use std::str::FromStr;

/// A list of frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameList {
    spans: Vec<Span>,
}

/// Every `step`-th frame from `first` to `last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    first: i32,
    last: i32,
    step: u32,
}

impl FrameList {
    /// All frames from `first` to `last`.
    pub fn all(first: i32, last: i32) -> Self {
        Self { spans: vec![Span { first, last, step: 1 }] }
    }

    /// Just these frames, which must be in rising order.
    pub fn of(frames: &[i32]) -> Self {
        let mut spans: Vec<Span> = Vec::new();
        for &frame in frames {
            match spans.last_mut() {
                Some(span) if span.last.checked_add(1) == Some(frame) => span.last = frame,
                _ => spans.push(Span { first: frame, last: frame, step: 1 }),
            }
        }
        Self { spans }
    }

    /// The frames from `first` to `last` that are missing from `there`, which must be in rising order. None if none is
    /// missing.
    pub fn between(first: i32, last: i32, there: &[i32]) -> Option<Self> {
        let mut spans = Vec::new();
        // Wider than frames, so that a number after the last frame exists.
        let mut next = i64::from(first);
        for end in there.iter().copied().map(i64::from).chain([i64::from(last) + 1]) {
            if next < end {
                spans.push(Span { first: next as i32, last: (end - 1) as i32, step: 1 });
            }
            next = next.max(end + 1);
        }
        if spans.is_empty() { None } else { Some(Self { spans }) }
    }

    /// The frames of the list in rising order, each once, if all are in `there`, which must be in rising order.
    ///
    /// # Errors
    /// The first frame of the list that is missing.
    pub fn among(&self, there: &[i32]) -> Result<Vec<i32>, i32> {
        // Stops at the first missing frame, so a list of billions takes no longer than one of existing frames.
        let is_missing = |frame: &i32| there.binary_search(frame).is_err();
        match self.spans.iter().flat_map(|span| span.frames()).find(is_missing) {
            Some(missing) => Err(missing),
            None => Ok(there.iter().copied().filter(|&frame| self.contains(frame)).collect()),
        }
    }

    /// A frame and, unless it is the whole list, the list as it was understood: `-3-2` is ambiguous.
    pub fn asked(&self, frame: i32) -> String {
        let list = self.to_string();
        if list == frame.to_string() { list } else { format!("{frame}, in {list}") }
    }

    /// Whether a frame is in the list.
    pub fn contains(&self, frame: i32) -> bool {
        self.spans.iter().any(|span| span.contains(frame))
    }

    /// The frames of the list in rising order, each once, if all are from `first` to `last`.
    ///
    /// # Errors
    /// The first frame of the list that is outside.
    pub fn within(&self, first: i32, last: i32) -> Result<Vec<i32>, i32> {
        let ends = self.spans.iter().flat_map(|span| [span.first, span.reached()]);
        match ends.into_iter().find(|end| !(first..=last).contains(end)) {
            Some(outside) => Err(outside),
            None => Ok((first..=last).filter(|&frame| self.contains(frame)).collect()),
        }
    }
}

impl Span {
    fn contains(self, frame: i32) -> bool {
        (self.first..=self.last).contains(&frame) && self.first.abs_diff(frame).is_multiple_of(self.step)
    }

    fn frames(self) -> impl Iterator<Item = i32> {
        (i64::from(self.first)..=i64::from(self.last)).step_by(self.step as usize).map(|frame| frame as i32)
    }

    /// The last frame on the step.
    fn reached(self) -> i32 {
        let steps = self.first.abs_diff(self.last) / self.step;
        self.first.saturating_add_unsigned(steps * self.step)
    }
}

impl fmt::Display for FrameList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, span) in self.spans.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{span}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last, step } = self;
        // A hyphen beside a minus is hard to read.
        let to = if *first < 0 { ".." } else { "-" };
        match (first == last, step) {
            (true, _) => write!(f, "{first}"),
            (false, 1) => write!(f, "{first}{to}{last}"),
            (false, step) => write!(f, "{first}{to}{last}:{step}"),
        }
    }
}

impl FromStr for FrameList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let spans = text.split(',').map(|part| part.trim().parse()).collect::<Result<_, _>>()?;
        Ok(Self { spans })
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (range, step) = match text.split_once(':') {
            Some((range, step)) => (range, positive(step)?),
            None => (text, 1),
        };
        let (first, last) = ends(range)
            .ok_or_else(|| format!("{text:?} is no frame; write 5, 1-6, 1..6, 7-20:2 or 1-3,5, and -3..2 below 0"))?;
        if last < first {
            let turned = Self { first: last, last: first, step };
            return Err(format!(
                "{text:?} is from {first} to {last} and runs backwards; write the smaller frame first: {turned}"
            ));
        }
        Ok(Self { first, last, step })
    }
}

fn positive(step: &str) -> Result<u32, String> {
    step.trim()
        .parse()
        .ok()
        .filter(|&step| step > 0)
        .ok_or_else(|| format!("the step {step:?} must be a whole number from 1"))
}

fn ends(range: &str) -> Option<(i32, i32)> {
    if let Some((first, last)) = range.split_once("..") {
        return Some((frame(first)?, frame(last)?));
    }
    // A first minus is a sign, the next one, if any, a hyphen.
    let hyphen = range.char_indices().skip(1).find(|&(_, letter)| letter == '-').map(|(index, _)| index);
    match hyphen {
        Some(index) => Some((frame(&range[..index])?, frame(&range[index + 1..])?)),
        None => frame(range).map(|only| (only, only)),
    }
}

fn frame(text: &str) -> Option<i32> {
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn frames(text: &str) -> Vec<i32> {
        text.parse::<FrameList>().unwrap().within(-50, 50).unwrap()
    }

    #[test]
    fn all_forms_are_read() {
        assert_eq!(frames("5"), [5]);
        assert_eq!(frames("5-5"), [5]);
        assert_eq!(frames("1-3"), [1, 2, 3]);
        assert_eq!(frames("1..3"), [1, 2, 3]);
        assert_eq!(frames("5,9,10"), [5, 9, 10]);
        assert_eq!(frames("1-3, 5"), [1, 2, 3, 5]);
        assert_eq!(frames("7-14:2"), [7, 9, 11, 13]);
        assert_eq!(frames("-5--3"), [-5, -4, -3]);
        assert_eq!(frames("-5..-3"), [-5, -4, -3]);
        assert_eq!((frames("-1-1"), frames("-1..1")), (vec![-1, 0, 1], vec![-1, 0, 1]));
        assert_eq!(frames("3,1-3,2"), [1, 2, 3], "each once, rising");
    }

    #[test]
    fn others_are_refused_with_a_reason() {
        for text in
            ["", "a", "1-", "-", "--", "1--", "1,,2", "1-2-3", "1...3", "1:0", "1-5:", "1-5:-2", "1.5", "99999999999"]
        {
            assert!(text.parse::<FrameList>().is_err(), "{text:?}");
        }
        assert!("6-1".parse::<FrameList>().unwrap_err().contains("backwards"));
        let told = |text: &str| text.parse::<FrameList>().unwrap_err();
        assert!(told("3--2").contains("from 3 to -2") && told("3--2").ends_with("first: -2..3"), "{}", told("3--2"));
        assert!(told("-3-").contains("-3..2 below 0"));
        assert!("1-5:0".parse::<FrameList>().unwrap_err().contains("step"));
    }

    #[test]
    fn frames_outside_of_the_scene_are_refused() {
        let list: FrameList = "1-10:4,-2".parse().unwrap();
        assert_eq!(list.within(1, 9), Err(-2));
        assert_eq!(list.within(-2, 8), Err(9));
        assert_eq!(list.within(-2, 9), Ok(vec![-2, 1, 5, 9]));
        let widest: FrameList = format!("{}..{}:4294967295", i32::MIN, i32::MAX).parse().unwrap();
        assert_eq!(widest.within(0, 1), Err(i32::MIN));
    }

    #[test]
    fn missing_frames_are_refused() {
        let there = [-2, -1, 0, 4, 6, 8];
        let list: FrameList = "-2-0,4-8:2".parse().unwrap();
        assert_eq!(list.among(&there), Ok(there.to_vec()));
        assert_eq!("6,-1".parse::<FrameList>().unwrap().among(&there), Ok(vec![-1, 6]));
        assert_eq!("4-8".parse::<FrameList>().unwrap().among(&there), Err(5));
        let widest: FrameList = format!("{}..{}", i32::MIN, i32::MAX).parse().unwrap();
        assert_eq!(widest.among(&there), Err(i32::MIN));
        assert_eq!(FrameList::of(&there).to_string(), "-2..0,4,6,8");
        assert_eq!(FrameList::of(&there).among(&there), Ok(there.to_vec()));
    }

    #[test]
    fn gaps_are_listed() {
        let gaps = |first, last, there: &[i32]| FrameList::between(first, last, there).map(|list| list.to_string());
        assert_eq!(gaps(-2, 7, &[-1, 0, 3, 7]).as_deref(), Some("-2,1-2,4-6"));
        assert_eq!(gaps(1, 3, &[1, 2, 3]), None);
        assert_eq!(gaps(i32::MIN, i32::MAX, &[0]).as_deref(), Some("-2147483648..-1,1-2147483647"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(spans in prop::collection::vec((-40..40, 0..10, 1_u32..5), 1..5)) {
            let spans = spans.into_iter().map(|(first, length, step)| {
                Span { first, last: first + length, step: if length == 0 { 1 } else { step } }
            });
            let list = FrameList { spans: spans.collect() };
            prop_assert_eq!(&list.to_string().parse::<FrameList>().unwrap(), &list);
            let expected: Vec<i32> = (-50..=50).filter(|&frame| list.contains(frame)).collect();
            prop_assert_eq!(list.within(-50, 50).unwrap(), expected);
        }

        #[test]
        fn no_text_is_fatal(text in "[-0-9.,: ]{0,20}|.*") {
            if let Ok(list) = text.parse::<FrameList>() {
                let _ = list.within(-10, 10);
            }
        }
    }
}
