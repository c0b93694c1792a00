import Foundation
import Strata
import StrataCoordinator
import StrataModel
import StrataSQLite
import StrataStore
import Testing

/// The stores among the fixtures that Core Data gave a persistent history.
private let fixtures: [String] = {
    guard let directory = Fixtures.directory, let files = FileManager.default.enumerator(atPath: directory + "/sqlite") else { return [] }
    let endings = [".sqlite", ".store", ".db", ".storedata"]
    return files.compactMap { $0 as? String }.sorted().filter { name in
        guard endings.contains(where: name.hasSuffix) else { return false }
        let path = "file:\(directory)/sqlite/\(name)?immutable=1"
        return (try? raw(path, "SELECT count(*) FROM sqlite_master WHERE name IN ('ACHANGE', 'ATRANSACTION')")) == [["2"]]
    }
}()

@Suite("Histories that Core Data wrote", .enabled(if: !fixtures.isEmpty, "no fixture has a persistent history"))
struct HistoryFixtureTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// Copies a fixture; returns its path and its model.
    private func copy(_ fixture: String) throws -> (path: String, model: ManagedObjectModel)? {
        let path = sandbox.path("Original.sqlite")
        let original = try #require(Fixtures.directory) + "/sqlite/" + fixture
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: original + suffix) {
            try FileManager.default.copyItem(atPath: original + suffix, toPath: path + suffix)
        }
        return try SQLiteDriver().foreignModel(at: .file(path)).map { (path, $0) }
    }

    private static let transactions = """
        SELECT Z_PK, Z_ENT, ZTIMESTAMP, ifnull((SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ZAUTHORTS), ZAUTHOR), \
        ifnull((SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ZBUNDLEIDTS), ZBUNDLEID), \
        ifnull((SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ZCONTEXTNAMETS), ZCONTEXTNAME), \
        ifnull((SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ZPROCESSIDTS), ZPROCESSID) FROM ATRANSACTION ORDER BY Z_PK
        """

    @Test("They are read, and written equal but for the order of to-many relationships in masks", arguments: fixtures)
    func rewriting(_ fixture: String) throws {
        guard let (path, model) = try copy(fixture) else { return }
        let store = try open(path, model)
        let records = try store.history(HistoryQuery())
        try store.close()
        let target = sandbox.path("Rewritten.sqlite")
        let rewritten = try openStore(StoreDescription(.sqlite(keepsCoreDataHistory: true), path: target), model: model)
        let transaction = try rewritten.beginWrite()
        for record in records { try transaction.append(record) }
        try transaction.prepare()
        try transaction.commit()
        try rewritten.close()
        if records.isEmpty { return }
        if try raw(path, "SELECT 1 FROM sqlite_master WHERE name = 'ATRANSACTIONSTRING'").isEmpty {
            #expect(
                try raw(target, Self.transactions)
                    == raw(
                        path, "SELECT Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME, ZPROCESSID FROM ATRANSACTION ORDER BY Z_PK"
                    ))
        } else {
            #expect(try raw(target, Self.transactions) == raw(path, Self.transactions))
        }
        let oracle = HistoryOracle(model, path: target)
        let columns = (0..<oracle.tombstones).map { ", quote(ZTOMBSTONE\($0))" }.joined()
        let changes =
            "SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, hex(ZCOLUMNS)\(columns) FROM ACHANGE ORDER BY ZTRANSACTIONID, Z_PK"
        // Core Data's synchronization has entities of its own, which are not in the model.
        let known = Set(try raw(target, "SELECT Z_ENT FROM Z_PRIMARYKEY").map { $0[0] })
        let original = try raw(path, changes).filter { known.contains($0[2]) }
        let copied = try raw(target, changes)
        #expect(copied.count == original.count)
        for (copy, row) in zip(copied, original) {
            var expected = row
            if row[1] == "1" { expected[4] = try oracle.withAmbiguousBits(row[4] ?? "", ofNumber: row[2] ?? "") }
            #expect(copy == expected)
            if copy != expected { break }
        }
    }

    @Test("A save past one continues it, and the metadata stay as they were", arguments: fixtures)
    func saving(_ fixture: String) throws {
        guard let (path, model) = try copy(fixture) else { return }
        let metadata = try raw(path, "SELECT hex(Z_PLIST) FROM Z_METADATA")
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(StoreDescription(.sqlite, path: path))
        let token = try coordinator.history.currentToken()
        let context = ManagedObjectContext(coordinator)
        context.transactionAuthor = "reader"
        for entity in model.entities where !entity.isAbstract {
            let dates = entity.attributes.filter { $0.type == .date && !$0.isTransient && $0.declaration.derivationExpression == nil }
            guard let date = dates.first,
                let object = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: entity.name)).first
            else { continue }
            try object.setValue(Date(timeIntervalSinceReferenceDate: 123_456.5), forKey: date.name)
            guard (try? context.save()) != nil else {
                context.rollback()
                continue
            }
            let saved = try #require(try coordinator.history.transactions(after: token).first)
            let change = try #require(saved.changes.first { $0.objectID == object.objectID })
            #expect(change.changedProperties.contains(date.name))
            let key = "\(object.objectID.reference)"
            let rows = try raw(path, "SELECT ZCHANGETYPE FROM ACHANGE WHERE ZTRANSACTIONID = \(saved.number) AND ZENTITYPK = \(key)")
            #expect(rows == [["1"]])
            break
        }
        for store in coordinator.stores { try coordinator.remove(store) }
        #expect(try raw(path, "SELECT hex(Z_PLIST) FROM Z_METADATA") == metadata)
    }
}
