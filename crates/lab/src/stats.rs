//! Median, spread and paired ratio.
//!
//! Machines drift: a ratio is taken inside a round, where both programs ran within seconds of each
//! other, and the median is taken over the ratios. Never the other way round.

use serde::{Deserialize, Serialize};

/// A sample of figures in five numbers, in the figures' own unit.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Summary {
    /// Half of the figures are below.
    pub median: f64,
    /// A quarter of the figures is below.
    pub low: f64,
    /// A quarter of the figures is above.
    pub high: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

impl Summary {
    /// Summarises `figures`; nothing for none. Takes them by value because it sorts.
    #[must_use]
    pub fn of(mut figures: Vec<f64>) -> Option<Summary> {
        figures.sort_by(f64::total_cmp);
        let (min, max) = (*figures.first()?, *figures.last()?);
        Some(Summary {
            median: quantile(&figures, 0.5),
            low: quantile(&figures, 0.25),
            high: quantile(&figures, 0.75),
            min,
            max,
        })
    }

    /// The same with every figure at `digits` significant digits, for files that people read.
    #[must_use]
    pub fn rounded(self, digits: i32) -> Summary {
        let round = |figure: f64| significant(figure, digits);
        Summary {
            median: round(self.median),
            low: round(self.low),
            high: round(self.high),
            min: round(self.min),
            max: round(self.max),
        }
    }
}

/// The ratios of `figures` to `reference`, round by round; a reference of 0 gives no ratio.
#[must_use]
pub fn paired(figures: &[f64], reference: &[f64]) -> Option<Summary> {
    let pairs = figures.iter().zip(reference).filter(|(_, reference)| **reference > 0.0);
    Summary::of(pairs.map(|(figure, reference)| figure / reference).collect())
}

/// Linear between the two nearest ranks (the "type 7" of Hyndman and Fan 1996, as R and NumPy).
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let rank = share * (sorted.len() - 1) as f64;
    let below = rank.floor() as usize;
    let above = rank.ceil() as usize;
    sorted[below] + (sorted[above] - sorted[below]) * (rank - below as f64)
}

/// `figure` rounded to so many significant digits.
#[must_use]
pub fn significant(figure: f64, digits: i32) -> f64 {
    if figure == 0.0 || !figure.is_finite() {
        return figure;
    }
    let places = digits - 1 - figure.abs().log10().floor() as i32;
    if places >= 0 {
        let scale = 10_f64.powi(places);
        (figure * scale).round() / scale
    } else {
        let scale = 10_f64.powi(-places);
        (figure / scale).round() * scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_numbers_of_a_sample() {
        let summary = Summary::of(vec![4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!((summary.min, summary.median, summary.max), (1.0, 2.5, 4.0));
        assert_eq!((summary.low, summary.high), (1.75, 3.25));
        assert_eq!(Summary::of(vec![7.0]).unwrap().low, 7.0);
        assert_eq!(Summary::of(vec![]), None);
    }

    #[test]
    fn ratios_are_paired_before_the_median() {
        // The machine slows down by 10 in the last rounds; the ratio does not care.
        let ours = [1.0, 10.0, 1.0, 10.0, 1.0];
        let theirs = [2.0, 20.0, 2.0, 20.0, 2.0];
        let ratio = paired(&ours, &theirs).unwrap();
        assert_eq!((ratio.median, ratio.min, ratio.max), (0.5, 0.5, 0.5));
        assert_eq!(paired(&ours, &[0.0; 5]), None);
    }

    #[test]
    fn significant_digits() {
        for (figure, digits, expected) in
            [(0.012_345, 3, 0.0123), (12_345.0, 2, 12_000.0), (0.0, 3, 0.0), (9.996, 3, 10.0)]
        {
            assert_eq!(significant(figure, digits), expected);
        }
    }
}
