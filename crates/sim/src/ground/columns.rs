//! A column of a result's table in one place: its name, its unit, what it means, and its value in a row.
//!
//! `tailrace list tables` and the lists of columns in docs/reference/results.md follow from these rows.

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Its name in the table.
    pub name: &'static str,
    /// Its unit; empty for what has none.
    pub unit: &'static str,
    /// What it means.
    pub doc: &'static str,
}

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableInfo {
    /// Its name.
    pub name: &'static str,
    /// What a row of it is.
    pub doc: &'static str,
    /// Its columns, in their order.
    pub columns: &'static [ColumnInfo],
}

/// `"table", "what a row is", |row: Row| { name: Kind = value, "unit", "meaning"; ... }`, with a kind of
/// [`TableCell`](crate::ground::table::Cell): `INFO` describes the table, `new_table` makes an empty one, and `add` a row of it.
macro_rules! columns {
    ($table:literal, $doc:literal, |$row:ident: $type:ty| {
        $( $name:ident: $kind:ident = $value:expr, $unit:literal, $about:literal; )+
    }) => {
        pub(crate) const INFO: $crate::ground::columns::TableInfo = $crate::ground::columns::TableInfo {
            name: $table,
            doc: $doc,
            columns: &[ $( $crate::ground::columns::ColumnInfo { name: stringify!($name), unit: $unit, doc: $about }, )+ ],
        };

        fn new_table() -> $crate::ground::table::TableBuilder {
            $crate::ground::table::TableBuilder::new($table, &[ $( (stringify!($name), columns!(@empty $kind)), )+ ])
        }

        fn add(table: &mut $crate::ground::table::TableBuilder, $row: &$type) {
            table.row(&[ $( $crate::ground::table::TableCell::$kind($value), )+ ]);
        }
    };
    (@empty U32) => { $crate::ground::table::TableCell::U32(0) };
    (@empty U64) => { $crate::ground::table::TableCell::U64(0) };
    (@empty Count) => { $crate::ground::table::TableCell::Count(None) };
    (@empty F64) => { $crate::ground::table::TableCell::F64(0.0) };
    (@empty Text) => { $crate::ground::table::TableCell::Text("") };
}
pub(crate) use columns;

#[cfg(test)]
pub(crate) mod tests {
    /// What is said of a column or a key: it has a meaning, and the unit that its name ends with.
    pub(crate) fn assert_described(name: &str, unit: &str, doc: &str) {
        assert!(doc.len() > 5 && doc.ends_with('.') && doc.trim() == doc, "{name}: {doc}");
        let units = [
            ("_s", "s"),
            ("_bps", "bit/s"),
            ("_bytes", "bytes"),
            ("_packets", "packets"),
            ("_ratio", "ratio"),
        ];
        if let Some((_, named)) = units.iter().find(|(end, _)| name.ends_with(end)) {
            assert_eq!(unit, *named, "{name}");
        }
    }
}
