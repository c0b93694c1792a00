import FoundationEssentials
import StrataEvaluation
import StrataFiles
import StrataModel
import StrataQuery
import StrataSQLite
import StrataStore
import Testing

/// Stores that Apple's Core Data wrote; not part of the package.
enum Fixtures {
    static let directory: String? = {
        let system = PosixFileSystem.shared
        if let named = getEnvironment("STRATA_FIXTURES") { return system.exists(named + "/sqlite") ? named : nil }
        var root = #filePath.split(separator: "/").dropLast()
        while !root.isEmpty {
            let candidate = "/" + root.joined(separator: "/") + "/shared/fixtures"
            if system.exists(candidate + "/sqlite") { return candidate }
            root = root.dropLast()
        }
        print("Tests over Apple's stores are skipped: there is no ../shared/fixtures, and STRATA_FIXTURES names no other folder.")
        return nil
    }()

    static let stores: [(file: String, model: @Sendable () throws -> ManagedObjectModel)] = [
        ("CoreDataPlus/SampleModel_V1.sqlite", { try FixtureModels.carsV1() }),
        ("CoreDataPlus/SampleModel_V2.sqlite", { try FixtureModels.carsV2() }),
        ("CoreDataPlus/SampleModel3_V1.sqlite", { try FixtureModels.users() }), ("objcio/Moody.moody", { try FixtureModels.moody(1) }),
        ("objcio/Moody 2.moody", { try FixtureModels.moody(2) }), ("objcio/Moody 3.moody", { try FixtureModels.moody(3) }),
        ("objcio/Moody 4.moody", { try FixtureModels.moody(4) }), ("objcio/Moody 5.moody", { try FixtureModels.moody(5) }),
        ("MagicalRecord/Recipes.sqlite", { try FixtureModels.recipes() }),
        ("RestKit/RKSeedDatabase.sqlite", { try FixtureModels.tweets() }),
    ]

    private static func getEnvironment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}

@Suite("Stores that Core Data wrote", .enabled(if: Fixtures.directory != nil, "there are no fixtures"))
struct FixtureTests {
    private func path(_ file: String) throws -> String { try #require(Fixtures.directory) + "/sqlite/" + file }

    /// Compares a row with what the columns hold, by SQL's own notation.
    private func compare(_ row: Row, _ columns: [String?], _ properties: [PropertyDescription], _ model: ManagedObjectModel) {
        for (column, property) in zip(columns, properties) {
            let text = column ?? "NULL"
            let found: Value
            switch property {
            case .attribute(let attribute): found = attribute.slot.map { row.value($0, attribute.slotKind) } ?? .null
            case .relationship(let relationship):
                guard case .toOne(let slot, _, _) = relationship.storage else { continue }
                found = row.integer(slot).map { .int($0) } ?? .null
            }
            let isSame: Bool =
                switch found {
                case .null: text == "NULL"
                case .int(let number): text == String(number)
                case .bool(let flag): text == (flag ? "1" : "0")
                case .double(let number): Double(text) == number
                case .date(let date): Double(text) == date.timeIntervalSinceReferenceDate
                case .string(let string):
                    text == "'" + string.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
                case .data(let data):
                    text == "X'" + data.map { String(Int($0) + 256, radix: 16, uppercase: true).dropFirst() }.joined() + "'"
                case .uuid(let uuid):
                    text == "X'" + String(uuid.uuidString.filter { $0 != "-" }) + "'"
                default: false
                }
            #expect(isSame, "\(property.name): \(found) is not \(text)")
        }
    }

    @Test("Every value is what SQLite shows", arguments: Fixtures.stores.indices)
    func values(index: Int) throws {
        let (file, make) = Fixtures.stores[index]
        let (path, model) = (try path(file), try make())
        let namesBefore = try PosixFileSystem.shared.names(inDirectory: PathNames.parent(path))
        let store = try open(path, model, isReadOnly: true)
        let uri = "file://" + path.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20") + "?immutable=1"
        for entity in model.entities {
            let properties = entity.properties.filter { property in
                if let relationship = property.relationship { return !relationship.isToMany }
                return property.attribute?.slot != nil
            }
            let list = properties.map { ", quote(Z\($0.name.uppercased()))" }.joined()
            let rows = try raw(
                uri,
                "SELECT Z_PK, Z_OPT\(list) FROM Z\(entity.rootName.uppercased()) WHERE Z_ENT = \(entity.index.rawValue + 1) ORDER BY Z_PK"
            )
            var plan = FetchPlan(entity)
            plan.includesSubentities = false
            let found = try store.fetch(plan)
            #expect(found.map { String($0.reference) } == rows.map { $0[0] ?? "" })
            #expect(found.map { String($0.version) } == rows.map { $0[1] ?? "" })
            for (row, columns) in zip(found, rows) { compare(row, Array(columns.dropFirst(2)), properties, model) }
            for relationship in entity.relationships where relationship.isToMany {
                for row in found {
                    for destination in try store.read({ try $0.destinations(of: relationship, owner: row.reference) }) {
                        let back = try store.read {
                            try $0.row(root: model.entities[relationship.destination].root, reference: destination.reference)
                        }
                        let far = try #require(back)
                        let inverse = try #require(model.inverse(of: relationship))
                        guard case .toOne(let slot, _, _) = inverse.storage else { continue }
                        #expect(far.integer(slot) == row.reference)
                        #expect(far.entityIndex == destination.entity)
                    }
                }
            }
        }
        #expect(try store.metadata().storeID.rawValue == raw(uri, "SELECT Z_UUID FROM Z_METADATA").first?.first)
        try store.close()
        #expect(try PosixFileSystem.shared.names(inDirectory: PathNames.parent(path)) == namesBefore)
    }

    @Test("Apple's hashes, digest and checksum are those of the model", arguments: Fixtures.stores.indices)
    func hashes(index: Int) throws {
        let (file, make) = Fixtures.stores[index]
        let hashes = try make().entityVersionHashesByName
        let metadata = try StoreDescription(.sqlite, path: path(file)).driver.metadata(at: .file(path(file)))
        #expect(metadata.versionHashes == hashes)
        let digests = [
            "NSStoreModelVersionHashesDigest": VersionHash.digest(of: hashes),
            "NSStoreModelVersionChecksumKey": VersionHash.checksum(of: hashes),
        ]
        for (key, digest) in digests {
            guard let found = metadata.userInfo[key] else { continue }
            #expect(found == .string(Data(digest).base64EncodedString()), "\(key)")
        }
    }

    @Test(
        "The tables of a store that is made anew are those of Apple's",
        arguments: [
            ("CoreDataPlus/SampleModel_V1.sqlite", 0), ("CoreDataPlus/SampleModel_V2.sqlite", 1),
            ("CoreDataPlus/SampleModel3_V1.sqlite", 2),
        ]
    )
    func schema(file: String, index: Int) throws {
        let sandbox = try Sandbox()
        try open(sandbox.path(), Fixtures.stores[index].model()).close()
        let query = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
        // Core Data spells the collation out that columns have anyway, which costs every comparison of keys.
        let apples = try raw("file://" + path(file) + "?immutable=1", query).map { row in
            row.map { $0?.replacing(" COLLATE BINARY", with: "") }
        }
        #expect(try raw(sandbox.path(), query) == apples)
    }

    @Test("A copy takes changes, and keeps Apple's hashes, digests and other metadata", arguments: Fixtures.stores.indices)
    func writing(index: Int) throws {
        let (file, make) = Fixtures.stores[index]
        let model = try make()
        let sandbox = try Sandbox()
        try SQLiteDriver.sqlite.replace(at: sandbox.path(), withStoreAt: path(file))
        let store = try open(sandbox.path(), model)
        let before = try store.metadata()
        let entity = try #require(model.entities.last { !$0.isAbstract })
        let transaction = try store.beginWrite()
        let reference = try transaction.reserveReferences(1, root: entity.root)
        var changes = ChangeSet()
        changes.inserted = [try row(model, entity.name, reference)]
        var metadata = before
        metadata.userInfo["mine"] = .string("x")
        changes.metadata = metadata
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.commit()
        try store.close()
        let reopened = try open(sandbox.path(), model)
        #expect(try reopened.fetch(FetchPlan(entity)).last?.reference == reference)
        #expect(try reopened.metadata() == metadata)
        try reopened.close()
    }
}

enum PathNames {
    static func parent(_ path: String) -> String { path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } }
}
