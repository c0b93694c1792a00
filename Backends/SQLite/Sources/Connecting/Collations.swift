import CSQLite
import StrataModel
import StrataQuery

/// The orders of text that Strata adds to SQL: one for each way in which text can be prepared, named after its number.
enum Collations {
    /// Has a connection make a collation when a statement first names it.
    static func register(on handle: OpaquePointer) {
        sqlite3_collation_needed(handle, nil) { _, handle, _, name in
            guard let handle, let name, let options = Collations.options(named: String(cString: name)) else { return }
            // The options travel in the pointer itself; one is added so that none is not null.
            sqlite3_create_collation_v2(handle, name, SQLITE_UTF8, UnsafeMutableRawPointer(bitPattern: options.rawValue + 1), Collations.compare, nil)
        }
    }

    private static func options(named name: String) -> QueryComparison.Options? {
        guard name.hasPrefix("strata_"), let number = Int(name.dropFirst("strata_".count)), 0..<32 ~= number else { return nil }
        return QueryComparison.Options(rawValue: number)
    }

    private static let compare:
        @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?) -> Int32 = { context, countA, a, countB, b in
            let options = QueryComparison.Options(rawValue: Int(bitPattern: context) - 1)
            let a = String(decoding: UnsafeRawBufferPointer(start: a, count: Int(countA)), as: UTF8.self)
            let b = String(decoding: UnsafeRawBufferPointer(start: b, count: Int(countB)), as: UTF8.self)
            switch Value.string(TextFolding.fold(a, options)).compare(.string(TextFolding.fold(b, options))) {
            case .less: return -1
            case .greater: return 1
            case .equal, .unordered: return 0
            }
        }
}
