//! Jain's fairness index.

/// Jain's index (Jain, Chiu & Hawe 1984): (Σx)² / (n Σx²); 1 if all are equal, 1/n if one has all. NaN if all are zero.
pub(crate) fn jain(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|x| x * x).sum();
    sum * sum / (values.len() as f64 * squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_index_is_one_for_equal_shares_and_one_nth_for_a_single_user() {
        assert_eq!(jain(&[3.0, 3.0, 3.0]), 1.0);
        assert_eq!(jain(&[5.0, 0.0, 0.0, 0.0]), 0.25);
        // (1+2+3)² / (3 · 14) = 36/42.
        assert!((jain(&[1.0, 2.0, 3.0]) - 36.0 / 42.0).abs() < 1e-15);
        assert!(jain(&[0.0, 0.0]).is_nan());
    }
}
