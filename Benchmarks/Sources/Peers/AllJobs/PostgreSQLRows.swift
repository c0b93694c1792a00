import BenchPQ

/// What a statement answered, in binary form.
final class PostgreSQLRows {
    private let result: OpaquePointer?

    init(_ result: OpaquePointer?) { self.result = result }

    deinit { PQclear(result) }

    /// The rows, by their numbers.
    var indices: Range<Int32> { 0..<PQntuples(result) }

    /// How many rows the statement changed.
    var changes: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    func integer(_ row: Int32, _ column: Int32) -> Int64 {
        UnsafeRawPointer(PQgetvalue(result, row, column)).map { Int64(bigEndian: $0.loadUnaligned(as: Int64.self)) } ?? 0
    }

    func double(_ row: Int32, _ column: Int32) -> Double { Double(bitPattern: UInt64(bitPattern: integer(row, column))) }

    func text(_ row: Int32, _ column: Int32) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

    func blob(_ row: Int32, _ column: Int32) -> [UInt8] { Array(bytes(row, column)) }

    func optionalInteger(_ row: Int32, _ column: Int32) -> Int64? { isNull(row, column) ? nil : integer(row, column) }

    func optionalText(_ row: Int32, _ column: Int32) -> String? { isNull(row, column) ? nil : text(row, column) }

    private func isNull(_ row: Int32, _ column: Int32) -> Bool { PQgetisnull(result, row, column) == 1 }

    private func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }
}
