import CStrataSQLite
import FoundationEssentials
import Strata
import StrataModel
import StrataModelFiles
import StrataSQLite
import StrataTestSupport
import Testing

@Suite(.enabled(if: Fixtures.areAvailable)) struct FixtureCacheTests {
    /// Stores that Apple's Core Data wrote, and the sources of their models where there are any.
    static let stores: [(String, String, String)] = [
        ("CoreDataPlus/SampleModel_V1.sqlite", "CoreDataPlus/SampleModel", "SampleModel"),
        ("CoreDataPlus/SampleModel_V2.sqlite", "CoreDataPlus/SampleModel", "SampleModel2"),
        ("CoreDataPlus/SampleModel3_V1.sqlite", "CoreDataPlus/SampleModel3", "SampleModel3"),
        ("objcio/Moody.moody", "objcio/Moody", "Moody"), ("objcio/Moody 2.moody", "objcio/Moody", "Moody 2"),
        ("objcio/Moody 3.moody", "objcio/Moody", "Moody 3"), ("objcio/Moody 4.moody", "objcio/Moody", "Moody 4"),
        ("objcio/Moody 5.moody", "objcio/Moody", "Moody 5"),
    ]

    static func cache(_ store: String) throws -> [UInt8] {
        var database: OpaquePointer?
        var statement: OpaquePointer?
        let path = Fixtures.path("sqlite/\(store)").replacing(" ", with: "%20")
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(database)
        }
        try #require(sqlite3_open_v2("file:\(path)?immutable=1", &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil) == SQLITE_OK)
        try #require(sqlite3_prepare_v2(database, "SELECT Z_CONTENT FROM Z_MODELCACHE", -1, &statement, nil) == SQLITE_OK)
        try #require(sqlite3_step(statement) == SQLITE_ROW)
        let bytes = UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, 0), count: Int(sqlite3_column_bytes(statement, 0)))
        return Array(bytes)
    }

    @Test("The model in a store's cache is that of its source", arguments: stores) func cached(
        _ store: String, _ bundle: String, _ version: String
    ) throws {
        let file = try ModelFile(modelCache: try Self.cache(store))
        let model = try file.model()
        #expect(!model.entities.isEmpty)
        #expect(file.warnings.isEmpty)
        let source = try ModelFile(contentsOf: Fixtures.path("models/\(bundle).xcdatamodeld")).model(version: version)
        #expect(model.entities.map(summary) == source.entities.map(summary))
        let description = StoreDescription(.sqlite, path: Fixtures.path("sqlite/\(store)"))
        let hashes = try description.driver.metadata(at: description.location).versionHashes
        #expect(model.entityVersionHashesByName == hashes)
        #expect(source.entityVersionHashesByName == hashes)
    }

    /// What an entity is, in a text.
    private func summary(_ entity: EntityDescription) -> [String] {
        let attributes = entity.attributes.map { attribute in
            let declared = attribute.declaration
            return "\(attribute.name) \(attribute.type) \(attribute.isOptional) \(attribute.isTransient) \(attribute.defaultValue) "
                + "\(declared.preservesValueInHistoryOnDeletion) \(declared.validation) \(declared.renamingIdentifier ?? "") \(declared.transformer?.name ?? "")"
        }
        let relationships = entity.relationships.map { relationship in
            let declared = relationship.declaration
            return "\(declared.name) \(declared.destination) \(declared.inverse ?? "") \(declared.cardinality) \(declared.deleteRule) "
                + "\(declared.minCount) \(declared.maxCount) \(declared.isOptional)"
        }
        return [entity.name, entity.rootName, "\(entity.isAbstract)", "\(entity.uniquenessConstraints.map(\.names))"]
            + attributes + relationships + entity.indexes.map { "\($0)" }.sorted()
    }
}
