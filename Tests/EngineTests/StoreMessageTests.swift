import FoundationEssentials
import StrataEngine
import StrataFiles
import StrataModel
import StrataStore
import Testing

@testable import StrataEngine

@Suite("Messages of stores and of the tables of a store")
struct StoreMessageTests {
    private let company: Company

    init() throws { company = try Company() }

    private func message(_ body: () throws -> Void) -> String? { messageOfError(body) }

    private func metadata(_ userInfo: [String: PropertyListValue] = [:]) -> StoreMetadata {
        StoreMetadata(type: StoreType(rawValue: "Test"), storeID: "store", versionHashes: [:], userInfo: userInfo)
    }

    @Test("A change that the tables cannot take is refused with the reason")
    func changes() throws {
        let engine = try company.engine()
        let row = try company.row("Person", 1)
        #expect(message { try engine.save { $0.inserted = [try company.row("Person", 0)] } } == "a new row needs a reference above 0")
        #expect(
            message { try engine.save { $0.links = [LinkChange(table: 99, kind: .put, link: Link(first: 1, second: 2))] } }
                == "the model has no link table 99")
        let transaction = try engine.beginWrite()
        let root = row.entityIndex
        #expect(message { _ = try transaction.reserveReferences(.max, root: root) } == nil)
        #expect(message { _ = try transaction.reserveReferences(.max, root: root) } == "the store has no reference left")
        #expect(message { _ = try engine.beginWrite() } == "another save takes longer than 0.05 seconds")
        var changes = ChangeSet()
        changes.inserted = [row, row]
        #expect(try transaction.apply(changes).count == 1)
        #expect(message { try transaction.commit() } == "row version conflict or duplicate key: the changes were not applied")
        transaction.rollback()
    }

    @Test("Contents that no store can have are refused with the reason")
    func contents() throws {
        func message(_ change: (inout TableContents) throws -> Void) throws -> String? {
            var contents = TableContents(metadata: metadata())
            try change(&contents)
            return self.message { _ = try TableEngine(contents, model: company.model, timeout: 1) }
        }
        let row = try company.row("Person", 7)
        #expect(try message { $0.rows[row.entityIndex] = [row, row] } == "duplicate or invalid key: 7")
        let link = Link(first: 1, second: 2)
        #expect(try message { $0.links[0] = [link, link] } == "two objects are linked twice, or in no relationship")
    }

    @Test("A location that a store in a file cannot have is refused with the reason")
    func locations() {
        let files = PosixFileSystem.shared
        let driver = AtomicStoreDriver(TinyCodec(fileSystem: files), fileSystem: files)
        #expect(message { _ = try driver.metadata(at: .memory) } == "a store of type Tiny needs a path")
        let server = StoreLocation.server(ServerAddress("postgresql://host/a", name: "b"))
        #expect(
            message { _ = try driver.metadata(at: server) } == "a store of type Tiny is a file, and not at \(server)")
    }

    @Test("A value whose file is lost or damaged is refused with the reason")
    func values() {
        #expect(
            message { throw StoreError(UnavailableValue(.missing, path: "f"), .fetch) } == "the file of an external value is missing")
        #expect(
            message { throw StoreError(UnavailableValue(.damaged, path: "f"), .fetch) }
                == "checksum mismatch in the file of an external value")
    }

    @Test("Metadata that a store cannot take or return are refused with the reason")
    func storeMetadata() throws {
        let own = metadata(["NSStoreType": .string("x")])
        #expect(message { _ = try own.replacing(metadata(), .metadata, path: nil) } == "the key is Core Data's own")
        let nested = (0...StoreMetadata.greatestNesting).reduce(PropertyListValue.string("x")) { value, _ in .array([value]) }
        #expect(
            message { try metadata(["a": nested]).checkNesting(.metadata, path: nil) }
                == "the user info nests more than 64 arrays and dictionaries in each other")
        for value in [PropertyListValue.string("x"), .data(Data([1]))] {
            #expect(
                message { _ = try metadata([StoreMetadata.modelKey: value]).model() }
                    == "the model in the store's metadata is malformed")
        }
        #expect(
            message { try metadata([StoreMetadata.unfinishedStageKey: .bool(true)]).checkStages(.open, path: nil) }
                == "a stage of a migration, whose handler failed or was interrupted, has not ended: migrate the store through its stages first"
        )
    }

    @Test("A model with another layout than that of the open tables in memory is refused")
    func layouts() throws {
        let driver = AtomicStoreDriver(TinyCodec(fileSystem: PosixFileSystem.shared), fileSystem: PosixFileSystem.shared)
        let description = StoreDescription(driver, at: .memory, configuration: "main")
        // The configuration has the same entity in both.
        func model(_ more: Entity...) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: more + [Entity("B")], configurations: [EntityConfiguration("main", "B")])
        }
        let tables = try InMemoryTables(description, model())
        #expect(
            message { _ = try tables.openStore(description, model(Entity("A"))) }
                == "a store of the name is open with another version of the model")
    }

    @Test("A value in a file is refused where the store has no directory for it, or no file can have the name")
    func externalValues() {
        let location = ExternalValues.Location(root: 0, reference: 1, slot: 0)
        #expect(
            message { _ = try ExternalValues(directory: nil).value(named: "a", at: location) }
                == "the store has no directory for the value in the file a")
        let values = ExternalValues(directory: ExternalDataDirectory(storePath: "/d/a", fileSystem: PosixFileSystem.shared))
        #expect(message { _ = try values.value(named: "../a", at: location) } == "../a is no name of a value's file")
    }

    @Test("References of two hierarchies that become one are refused where they do not fit")
    func references() throws {
        let old = try ManagedObjectModel {
            Entity("A")
            Entity("B")
        }
        let new = try ManagedObjectModel {
            Entity("C")
            Entity("A", parent: "C")
            Entity("B", parent: "C")
        }
        let last: [EntityIndex: Int64] = [0: .max, 1: .max]
        #expect(
            message { _ = try MigrationRoutes(MappingModel.inferred(from: old, to: new), lastReferences: last, scope: .hierarchy) }
                == "the references of two hierarchies do not fit into one")
    }

    @Test("Conflicts in the content of a migrated store are refused with the first one")
    func migration() throws {
        let migration = StoreMigration(
            routes: nil, model: company.model, configuration: nil, metadata: metadata(), lastReferences: [:], batches: { _, _ in })
        let entity = try company.entity("Person").index
        let conflict = StoreConflict(entity: entity, reference: 1, reason: .deleted)
        #expect(message { try migration.requireNone([conflict], path: nil) } == "two objects have one reference")
    }
}
