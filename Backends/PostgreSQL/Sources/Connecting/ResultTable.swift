import CStrataPostgreSQL
import StrataStore

/// The result of a statement: rows of values in the binary format.
// Safe: the object owns the handle, and all accesses are within the bounds that libpq reports.
@safe final class ResultTable {
    private let handle: OpaquePointer
    let count: Int

    init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
        count = unsafe Int(PQntuples(handle))
    }

    deinit { unsafe PQclear(handle) }

    @inline(__always)
    func isNull(_ row: Int, _ column: Int) -> Bool {
        unsafe PQgetisnull(handle, Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column)) != 0
    }

    /// Returns the bytes of a value, valid as long as the result is; `nil` for null.
    @inline(__always)
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
        if unsafe PQgetisnull(handle, row, column) != 0 { return nil }
        let count = unsafe Int(PQgetlength(handle, row, column))
        return unsafe UnsafeRawBufferPointer(start: PQgetvalue(handle, row, column), count: count)
    }

    /// Returns the number of a value; `nil` for null, or where its width is not that of the type.
    @inline(__always)
    func number<Number: FixedWidthInteger>(_ row: Int, _ column: Int, as _: Number.Type = Number.self) -> Number? {
        guard let bytes = unsafe bytes(row, column), bytes.count == MemoryLayout<Number>.size else { return nil }
        return unsafe Number(bigEndian: bytes.loadUnaligned(as: Number.self))
    }

    @inline(__always)
    func integer(_ row: Int, _ column: Int) -> Int64? { number(row, column) }

    func text(_ row: Int, _ column: Int) -> String? { unsafe bytes(row, column).map { unsafe String(decoding: $0, as: UTF8.self) } }

    /// Checks that columns have the types by which their values are decoded, of which several have the same width.
    ///
    /// - Parameters:
    ///   - types: The types of the columns from `first` on; `nil` where the values are not decoded.
    ///   - table: The table, for the message.
    /// - Throws: `StoreError` with `corrupt` where another program changed a column's type.
    func require(_ types: [ColumnType?], from first: Int = 0, of table: String, _ operation: StoreError.Operation) throws {
        if count == 0 { return }
        for (column, type) in types.enumerated() {
            guard let type, case let oid = unsafe PQftype(handle, Int32(truncatingIfNeeded: first + column)), !type.isDecoded(from: oid)
            else { continue }
            throw wrongType(first + column, of: table, operation)
        }
    }

    /// Returns the error of a column whose values are not of the type that they are decoded as.
    func wrongType(_ column: Int, of table: String, _ operation: StoreError.Operation) -> StoreError {
        let name = unsafe PQfname(handle, Int32(truncatingIfNeeded: column)).map { unsafe String(cString: $0) } ?? "\(column + 1)"
        return .wrongType(name, of: table, operation)
    }

    /// The number of rows that a statement changed.
    var affected: Int {
        guard let text = unsafe PQcmdTuples(handle) else { return 0 }
        return unsafe Int(String(cString: text)) ?? 0
    }
}

extension StoreError {
    /// Returns the error of a column whose type another program changed.
    static func wrongType(
        _ name: String, of table: String, _ operation: StoreError.Operation, underlying: PostgreSQLFailure? = nil
    ) -> StoreError {
        StoreError(
            .corrupt, operation, "the column \(name) of the table \(table) is not of the type that the store gave it",
            underlying: underlying)
    }
}
