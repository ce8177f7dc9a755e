//! Values of parameters in the form in which scenario files hold them.

/// A parameter value as it comes from a scenario file.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text: a quantity with its unit, or one of the choices.
    Text(String),
    /// Several values.
    List(Vec<Self>),
    /// Values with their keys.
    Table(Vec<(String, Self)>),
}

impl Value {
    /// The value as a user would type it, for messages.
    pub fn shown(&self) -> String {
        match self {
            Self::Bool(b) => b.to_string(),
            Self::Integer(n) => n.to_string(),
            Self::Float(x) => x.to_string(),
            Self::Text(t) => format!("{t:?}"),
            Self::List(_) => "a list".into(),
            Self::Table(_) => "a table".into(),
        }
    }
}
