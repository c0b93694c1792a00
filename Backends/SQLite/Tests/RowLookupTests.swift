import StrataModel
import StrataSQLite
import StrataStore
import StrataTestSupport
import Testing

@Suite("SQLite: rows by reference")
struct RowLookupTests {
    private let model: ManagedObjectModel
    private let store: any StoreBackend
    private let root: EntityIndex
    private let log = RecordedLog()
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        model = try ManagedObjectModel(entities: [Entity("Account") { Attribute("balance", .integer64) }])
        root = try #require(model.entity(named: "Account")).index
        let description = StoreDescription(.sqlite(logger: log.logger()), path: sandbox.path())
        store = try openStore(description, model: model)
        var changes = ChangeSet()
        changes.inserted = try (1...3000).map { try row(model, "Account", $0, ["balance": .int($0)]) }
        #expect(try store.save(changes).isEmpty)
        _ = log.take()
    }

    /// Returns the references of the rows that are found, and the conditions of the statements that find them.
    private func found(_ references: [Int64]) throws -> (references: [Int64], conditions: [String]) {
        let rows = try store.read { try $0.rows(root: root, references: references) }
        let conditions = log.take().filter { $0.hasPrefix("SELECT") }.map { String($0.drop { $0 != "W" }) }
        return (rows.map(\.reference), conditions)
    }

    @Test("References without gaps are looked up as a range, in whichever order they are given")
    func range() throws {
        let (references, conditions) = try found((101...140).reversed() + [120])
        #expect(references == Array(101...140))
        #expect(conditions == ["WHERE t0.Z_PK BETWEEN ? AND ?"])
        #expect(try found(Array(1...2500)).conditions.count == 3)
    }

    @Test("References with gaps are looked up in ascending order, by a statement for each power of two")
    func list() throws {
        let (references, conditions) = try found([9, 1, 3, 5, 7, 21, 2999, 13, 4000, 11, 1])
        #expect(references == [1, 3, 5, 7, 9, 11, 13, 21, 2999])
        #expect(conditions == ["WHERE t0.Z_PK IN (\(Array(repeating: "?", count: 16).joined(separator: ", ")))"])
        #expect(try found([2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24]).conditions == conditions)
    }

    @Test("The greatest and the least references are no range")
    func extremes() throws {
        let references: [Int64] = [.min, -1, 0, 1, 2, 3, 4, 5, 6, 7, .max]
        #expect(try found(references).references == Array(1...7))
    }
}
