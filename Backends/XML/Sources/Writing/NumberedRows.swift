import StrataEngine

/// The rows of a document, sorted by the numbers of their objects.
struct NumberedRows {
    let rows: [Row]
    /// The numbers by the position of the row.
    let table: ReferenceTable
    let numbers: ObjectNumbers

    /// - Throws: `StoreError` with `corrupt` where two objects have the same number.
    init(_ contents: TableContents, _ model: ManagedObjectModel, _ errors: XMLErrors) throws {
        let numbers = try ObjectNumbers(contents.rows, model, errors)
        var rows = contents.rows.values.flatMap(\.self)
        rows.sortIfNeeded { numbers.number(of: $0) < numbers.number(of: $1) }
        table = ReferenceTable(rows.map { numbers.number(of: $0) })
        if let duplicate = table.duplicate { throw errors.corrupt("duplicate key: two objects have the number \(duplicate)") }
        (self.rows, self.numbers) = (rows, numbers)
    }
}
