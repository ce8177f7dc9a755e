//! Errors of reading a distribution.

/// Error of reading a distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DistributionError {
    /// It has another form.
    Form(String),
    /// It would be one, but is too long, or has no mean.
    Outside(String),
}

impl From<String> for DistributionError {
    fn from(why: String) -> Self {
        Self::Form(why)
    }
}

impl From<DistributionError> for String {
    fn from(unreadable: DistributionError) -> Self {
        match unreadable {
            DistributionError::Form(why) | DistributionError::Outside(why) => why,
        }
    }
}
