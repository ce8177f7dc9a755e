//! Rows of a table's columns: name, unit, meaning, and value in a row.
//!
//! `tailrace list tables` and the lists of columns in docs/reference/results.md follow from these rows.

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Name in the table.
    pub name: &'static str,
    /// Unit; empty for a column without.
    pub unit: &'static str,
    /// Meaning.
    pub doc: &'static str,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableInfo {
    /// Name.
    pub name: &'static str,
    /// Meaning of a row.
    pub doc: &'static str,
    /// Columns in order.
    pub columns: Vec<ColumnInfo>,
}

/// Declares a table: `"table", "what a row is", |row: Row| { name: Kind = value, "unit", "meaning"; ... }`, with a kind of
/// [`TableCell`](crate::ground::table::TableCell). `info` describes the table, `new_table` makes an empty one, and `add` adds a row.
/// `counters Type = value; { ... }` after the columns adds those of a type with `columns` and `cells`, and more columns behind them.
macro_rules! columns {
    ($table:literal, $doc:literal, |$row:ident: $type:ty| {
        $( $name:ident: $kind:ident = $value:expr, $unit:literal, $about:literal; )+
    } $( counters $counters:ident = $values:expr; {
        $( $name2:ident: $kind2:ident = $value2:expr, $unit2:literal, $about2:expr; )+
    } )?) => {
        pub(crate) fn info() -> $crate::ground::columns::TableInfo {
            let mut columns = vec![
                $( $crate::ground::columns::ColumnInfo { name: stringify!($name), unit: $unit, doc: $about }, )+
            ];
            $(
                columns.extend($counters::columns());
                columns.extend([
                    $( $crate::ground::columns::ColumnInfo { name: stringify!($name2), unit: $unit2, doc: $about2 }, )+
                ]);
            )?
            columns.shrink_to_fit();
            $crate::ground::columns::TableInfo { name: $table, doc: $doc, columns }
        }

        fn new_table() -> $crate::ground::table::TableBuilder {
            let mut columns = vec![ $( (stringify!($name), columns!(@empty $kind)), )+ ];
            $(
                let empty = $crate::ground::table::TableCell::Count(None);
                columns.extend($counters::columns().map(|column| (column.name, empty)));
                columns.extend([ $( (stringify!($name2), columns!(@empty $kind2)), )+ ]);
            )?
            columns.shrink_to_fit();
            $crate::ground::table::TableBuilder::new($table, &columns)
        }

        columns!(@add $row $type, { $( $kind = $value; )+ } $( $values; { $( $kind2 = $value2; )+ } )?);
    };
    (@add $row:ident $type:ty, { $( $kind:ident = $value:expr; )+ }) => {
        fn add(table: &mut $crate::ground::table::TableBuilder, $row: &$type) {
            table.row(&[ $( $crate::ground::table::TableCell::$kind($value), )+ ]);
        }
    };
    (@add $row:ident $type:ty, { $( $kind:ident = $value:expr; )+ } $values:expr; { $( $kind2:ident = $value2:expr; )+ }) => {
        fn add(table: &mut $crate::ground::table::TableBuilder, $row: &$type) {
            let mut cells = vec![ $( $crate::ground::table::TableCell::$kind($value), )+ ];
            cells.extend($values.cells());
            cells.extend([ $( $crate::ground::table::TableCell::$kind2($value2), )+ ]);
            table.row(&cells);
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
    /// Asserts that a column or key has a meaning, and the unit that its name ends with.
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
