import Foundation
import Strata
import StrataModel
import StrataPostgreSQL
import StrataSQLite
import StrataStore
import StrataTestSupport
import Testing

@Suite(
    "A store that Core Data wrote moves to a server, and back", .timeLimit(.minutes(60)),
    .enabled(if: Fixtures.areAvailable, "there are no fixtures"),
    .enabled(if: PostgreSQLServer.isAvailable, Comment(rawValue: PostgreSQLServer.reason)))
struct AppleStoreConversionTests {
    /// Those that keep the model that they were made with.
    private static let files = [
        "CoreDataPlus/SampleModel_V1.sqlite", "CoreDataPlus/SampleModel_V2.sqlite", "CoreDataPlus/SampleModel3_V1.sqlite",
        "objcio/Moody.moody", "objcio/Moody 2.moody", "objcio/Moody 3.moody", "objcio/Moody 4.moody", "objcio/Moody 5.moody",
    ]

    @Test("All values, references and links are the same on the server and after the way back", arguments: files)
    func conversion(_ file: String) throws {
        let directory = NSTemporaryDirectory() + "apple-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/apple.sqlite"
        try FileManager.default.copyItem(atPath: Fixtures.path("sqlite/" + file), toPath: path)
        let model = try #require(try SQLiteDriver().foreignModel(at: .file(path)))
        let coordinator = PersistentStoreCoordinator(model: model)
        let original = try coordinator.addStore(StoreDescription(.sqlite, path: path))
        let before = try contents(original, model)
        #expect(!before.isEmpty)
        let server = StoreDescription.postgreSQL(
            try PostgreSQLServer.shared.get().url, schema: PostgreSQLServer.schema(directory, "apple"), connections: 4)
        let there = try coordinator.migrateStore(original, to: server)
        #expect(there.type == .postgreSQL)
        #expect(try contents(there, model) == before)
        let back = try coordinator.migrateStore(there, to: StoreDescription(.sqlite, path: directory + "/back.sqlite"))
        #expect(try contents(back, model) == before)
        try coordinator.remove(back)
        try server.driver.destroy(at: server.location)
    }

    /// The values of each row, and what each link says.
    private func contents(_ store: any PersistentStore, _ model: ManagedObjectModel) throws -> [String: [Value]] {
        try store.backend.read { reader in
            var contents: [String: [Value]] = [:]
            for entity in model.entities where entity.superentity == nil {
                guard case .rows(let rows, _) = try reader.answer(FetchPlan(entity)) else { continue }
                for row in rows {
                    let own = model.entities[row.entityIndex]
                    contents["\(own.name) \(row.reference)"] = own.layout.indexedSlots.map { row.value($0, $1.kind) }
                }
            }
            for link in model.linkTables {
                for one in try reader.links(of: link) { contents["\(link.index) \(one)"] = [] }
            }
            return contents
        }
    }
}
