//! Scenario files: types, units, validation, errors with line and column.
