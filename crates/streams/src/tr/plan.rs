//! From tables to a plan: the cheapest form of each step, decided once, before the first byte.

use super::bytes::ByteSet;
use super::program::Program;

/// At most this many parts in [`Segments`] and [`Ranges`]. Beyond, a table look-up is as fast:
/// each part is five or six vector operations.
pub const PARTS_MAX: usize = 6;

/// A part of a map: the bytes from `first` to `first + span` become `(byte & keep) + add`, modulo
/// 256. `keep` is 0xFF where a constant is added, 0 where all become one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "all of them are explained together")]
pub struct Segment {
    pub first: u8,
    pub span: u8,
    pub keep: u8,
    pub add: u8,
}

/// Up to [`PARTS_MAX`] things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Few<T> {
    parts: [T; PARTS_MAX],
    count: usize,
}

impl<T: Copy + Default> Few<T> {
    fn new() -> Self {
        Self { parts: [T::default(); PARTS_MAX], count: 0 }
    }

    fn push(&mut self, part: T) -> Option<()> {
        *self.parts.get_mut(self.count)? = part;
        self.count += 1;
        Some(())
    }

    /// The parts.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.parts[..self.count]
    }
}

/// A map in parts that do not overlap; bytes in none of them stay.
pub type Segments = Few<Segment>;

/// A set in parts that do not overlap: the first byte of each, and how many follow it.
pub type Ranges = Few<(u8, u8)>;

/// A map with all its forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// Complete, and always right.
    pub table: [u8; 256],
    /// The map in few parts.
    pub segments: Option<Segments>,
}

impl Map {
    /// The forms of `table`.
    #[must_use]
    pub fn new(table: [u8; 256]) -> Self {
        Self { segments: segments(&table), table }
    }
}

/// A set with all its forms. Not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// 0xFF for members, 0 for the others.
    pub table: [u8; 256],
    /// The only member.
    pub one: Option<u8>,
    /// The set in few parts.
    pub ranges: Option<Ranges>,
}

impl Set {
    /// The forms of `set`, unless it is empty.
    #[must_use]
    pub fn new(set: &ByteSet) -> Option<Self> {
        (set.count() > 0).then(|| Self { table: set.table(), one: set.only(), ranges: ranges(set) })
    }
}

/// The first step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum First {
    /// Nothing changes.
    Keep,
    /// Every byte becomes what the map says.
    Map(Map),
    /// Members of the set go.
    Delete(Set),
}

/// What happens to the bytes: one step, and perhaps another one on its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The first step.
    pub first: First,
    /// The second: of each run of a member of this set, one is left.
    pub squeeze: Option<Set>,
}

impl Plan {
    /// The plan for `program`. Deletion and translation exclude each other on any command line.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        let first = match Set::new(&program.delete) {
            Some(set) => First::Delete(set),
            None if is_identity(&program.map) => First::Keep,
            None => First::Map(Map::new(program.map)),
        };
        Self { first, squeeze: Set::new(&program.squeeze) }
    }
}

fn is_identity(map: &[u8; 256]) -> bool {
    (0..=255).zip(map).all(|(byte, &to)| byte == to)
}

/// `map` in parts, each as long as it can be, if few are enough.
fn segments(map: &[u8; 256]) -> Option<Segments> {
    let mut parts = Segments::new();
    let mut at = 0;
    while at < 256 {
        let (first, to) = (at as u8, map[at]);
        if first == to {
            at += 1;
            continue;
        }
        let add = to.wrapping_sub(first);
        let rest = &map[at..];
        let moved = (first..=255).zip(rest);
        let moved = moved.take_while(|&(byte, &to)| to == byte.wrapping_add(add));
        let moved = moved.count();
        let same = rest.iter().take_while(|&&other| other == to).count();
        let (length, keep, add) = if moved >= same { (moved, 0xFF, add) } else { (same, 0, to) };
        parts.push(Segment { first, span: (length - 1) as u8, keep, add })?;
        at += length;
    }
    Some(parts)
}

/// `set` in parts, if few are enough.
fn ranges(set: &ByteSet) -> Option<Ranges> {
    let mut parts = Ranges::new();
    let mut at = 0_u16;
    let inside = |at: u16| u8::try_from(at).is_ok_and(|byte| set.contains(byte));
    while at < 256 {
        let first = at;
        while inside(at) {
            at += 1;
        }
        if at > first {
            parts.push((first as u8, (at - first - 1) as u8))?;
        }
        at += 1;
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(change: impl Fn(u8) -> u8) -> [u8; 256] {
        core::array::from_fn(|byte| change(byte as u8))
    }

    fn applied(parts: &Segments) -> [u8; 256] {
        map(|byte| {
            let mut hits = parts.as_slice().iter();
            let hit = hits.find(|part| byte.wrapping_sub(part.first) <= part.span);
            hit.map_or(byte, |part| (byte & part.keep).wrapping_add(part.add))
        })
    }

    fn check_segments(count: Option<usize>, change: impl Fn(u8) -> u8) {
        let table = map(change);
        let parts = segments(&table);
        assert_eq!(parts.map(|parts| parts.as_slice().len()), count);
        if let Some(parts) = parts {
            assert_eq!(applied(&parts), table);
        }
    }

    #[test]
    fn maps_in_parts() {
        check_segments(Some(0), |b| b);
        check_segments(Some(1), |b| b.to_ascii_uppercase());
        check_segments(Some(1), |b| b.wrapping_add(200));
        check_segments(Some(1), |_| 7);
        check_segments(Some(4), |b| match b.to_ascii_lowercase() {
            b'a'..=b'm' => b + 13,
            b'n'..=b'z' => b - 13,
            _ => b,
        });
        check_segments(Some(3), |b| if b.is_ascii_alphabetic() { b } else { b'\n' });
        check_segments(None, |b| b.wrapping_mul(7));
    }

    #[test]
    fn sets_in_parts() {
        let check = |members: &[(u8, u8)], expected: Option<&[(u8, u8)]>| {
            let mut set = ByteSet::EMPTY;
            for &(first, last) in members {
                set.insert_range(first, last);
            }
            let parts = ranges(&set);
            assert_eq!(parts.as_ref().map(Few::as_slice), expected);
        };
        check(&[], Some(&[]));
        check(&[(0, 255)], Some(&[(0, 255)]));
        check(&[(0, 0), (2, 3), (255, 255)], Some(&[(0, 0), (2, 1), (255, 0)]));
        let many: Vec<_> = (0..7).map(|n| (2 * n, 2 * n)).collect();
        check(&many, None);
    }

    #[test]
    fn plans_are_the_cheapest() {
        let none = Program { map: map(|b| b), delete: ByteSet::EMPTY, squeeze: ByteSet::EMPTY };
        let plan = Plan::new(&none);
        assert_eq!((plan.first, plan.squeeze), (First::Keep, None));
        let mut changed = none.clone();
        changed.map[3] = 9;
        changed.squeeze.insert_range(5, 5);
        let plan = Plan::new(&changed);
        assert!(matches!(plan.first, First::Map(map) if map.segments.is_some()));
        assert_eq!(plan.squeeze.and_then(|set| set.one), Some(5));
        let mut deleted = none;
        deleted.delete.insert_range(1, 2);
        let plan = Plan::new(&deleted);
        assert!(matches!(plan.first, First::Delete(set) if set.one.is_none()));
    }
}
