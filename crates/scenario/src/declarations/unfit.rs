//! Reason why a value cannot be taken.

use crate::text::codes::Code;
use tailrace_core::dist::error::DistributionError;

/// A value that does not fit its key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnfitValue {
    pub(crate) code: Code,
    pub(crate) why: String,
}

impl UnfitValue {
    /// Too little or too much.
    pub(crate) fn outside(why: impl Into<String>) -> Self {
        Self { code: Code::OutOfBounds, why: why.into() }
    }

    /// Cannot be read, with what is wrong as `code` says it.
    pub(crate) fn of(code: Code) -> impl Fn(String) -> Self {
        move |why| Self { code, why }
    }
}

impl From<DistributionError> for UnfitValue {
    fn from(unreadable: DistributionError) -> Self {
        match unreadable {
            DistributionError::Form(why) => why.into(),
            DistributionError::Outside(why) => Self::outside(why),
        }
    }
}

impl From<String> for UnfitValue {
    fn from(why: String) -> Self {
        Self { code: Code::BadValue, why }
    }
}
