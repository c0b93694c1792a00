import CStrataPostgreSQL

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

    /// The bytes of a value, valid as long as the result is; `nil` for null.
    @inline(__always)
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
        if unsafe PQgetisnull(handle, row, column) != 0 { return nil }
        let count = unsafe Int(PQgetlength(handle, row, column))
        return unsafe UnsafeRawBufferPointer(start: PQgetvalue(handle, row, column), count: count)
    }

    /// The number of a value; `nil` for null, or where its width is not that of the type.
    @inline(__always)
    func number<Number: FixedWidthInteger>(_ row: Int, _ column: Int, as _: Number.Type = Number.self) -> Number? {
        guard let bytes = unsafe bytes(row, column), bytes.count == MemoryLayout<Number>.size else { return nil }
        return unsafe Number(bigEndian: bytes.loadUnaligned(as: Number.self))
    }

    @inline(__always)
    func integer(_ row: Int, _ column: Int) -> Int64? { number(row, column) }

    func text(_ row: Int, _ column: Int) -> String? { unsafe bytes(row, column).map { unsafe String(decoding: $0, as: UTF8.self) } }

    /// The number of rows that a statement changed.
    var affected: Int {
        guard let text = unsafe PQcmdTuples(handle) else { return 0 }
        return unsafe Int(String(cString: text)) ?? 0
    }
}
