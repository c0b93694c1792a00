import Foundation
import Strata
import StrataModelFiles
import StrataSQLite
import StrataTestSupport
import Testing

/// Models of applications, version by version, as Xcode wrote them.
@Suite("Histories of models", .enabled(if: Fixtures.areAvailable))
struct ModelHistoryTests {
    /// The bundles of all applications.
    static let bundles: [String] = {
        let root = Fixtures.path("models")
        let applications = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return applications.sorted().flatMap { application in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(application)")) ?? []
            return names.sorted().filter { $0.hasSuffix(".xcdatamodeld") }.map { "models/\(application)/\($0)" }
        }
    }()

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let stores: [TestStore] = [.sqlite, .lmdb, .binary, .xml]

    @Test("A store goes through all versions, step by step and at once", arguments: bundles, stores)
    func history(_ bundle: String, _ kind: TestStore) throws {
        let file = try ModelFile(contentsOf: Fixtures.path(bundle))
        let models = try file.versions.map { try file.model(version: $0.name) }
        let description = kind.description(in: directory.path, name: "steps")
        var state = try fill(description, models[0])
        for model in models.dropFirst() {
            let before = state
            do {
                state = try summary(description, model)
            } catch let error as StoreError where [.missingMapping, .migration, .incompatibleModel].contains(error.code) {
                // What cannot be inferred leaves the store at its version.
                #expect(error.code != .incompatibleModel || error.message.contains("none of the store's entities"))
                continue
            }
            for (entity, count) in state.counts where model.entity(named: entity)?.renamingIdentifier == nil {
                #expect(count == before.counts[entity] ?? 0, "\(entity)")
            }
            for (key, values) in state.values {
                if let known = before.values[key] { #expect(values == known, "\(key)") }
            }
        }
    }

    /// What can be compared between versions: how many objects each entity has, and the values of integers and texts.
    private struct Summary {
        var counts: [String: Int] = [:]
        var values: [String: [String]] = [:]
    }

    private func fill(_ description: StoreDescription, _ model: ManagedObjectModel) throws -> Summary {
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try coordinator.addStore(description)
        let context = ManagedObjectContext(coordinator)
        var objects: [String: [ManagedObject]] = [:]
        // No two objects have a value in common: any may have to be unique.
        for (index, entity) in model.entities.enumerated() where !entity.isAbstract {
            for number in (index * 4)..<(index * 4 + 4) {
                let object = try context.insert(entity.name)
                objects[entity.name, default: []].append(object)
                for attribute in entity.attributes where !attribute.isTransient {
                    if let value = Self.value(attribute, number) { try object.setValue(value, forKey: attribute.name) }
                }
            }
        }
        for entity in model.entities where !entity.isAbstract {
            for relationship in entity.relationships where !relationship.isTransient {
                let kinds = model.entities[relationship.destination].hierarchy.map { model.entities[$0].name }
                let others = kinds.flatMap { objects[$0] ?? [] }
                for (index, object) in (objects[entity.name] ?? []).enumerated() where !others.isEmpty {
                    let one = others[index % others.count]
                    guard relationship.isToMany else {
                        if try object.value(forKey: relationship.name) == nil { try object.setValue(one, forKey: relationship.name) }
                        continue
                    }
                    if relationship.isOrdered {
                        try object.setValue([one], forKey: relationship.name)
                    } else {
                        try object.setValue(Set([one]), forKey: relationship.name)
                    }
                }
            }
        }
        do { try context.save() } catch let error as ValidationError {
            // What a model demands of an object may be more than is known here: the empty store goes its way too.
            print("\(model.entities.map(\.name).prefix(3)) is not filled: \(error.failures.first.map { "\($0)" } ?? "")")
            context.rollback()
        }
        try coordinator.remove(store)
        return try summary(description, model)
    }

    private static func value(_ attribute: AttributeDescription, _ number: Int) -> Any? {
        switch attribute.type {
        case .integer16, .integer32, .integer64: number + 1
        case .double, .float: Double(number) + 0.5
        case .decimal: Decimal(number)
        case .boolean: number.isMultiple(of: 2)
        case .string: "\(attribute.name) \(number)"
        case .date: Date(timeIntervalSinceReferenceDate: Double(number))
        case .binary: Data([UInt8(truncatingIfNeeded: number)])
        case .uuid: UUID()
        case .uri: URL(string: "https://example.org/\(number)")
        case .transformable: Data([1, UInt8(truncatingIfNeeded: number)])
        case .undefined, .composite: nil
        }
    }

    private func summary(_ description: StoreDescription, _ model: ManagedObjectModel) throws -> Summary {
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try coordinator.addStore(description)
        defer { try? coordinator.remove(store) }
        #expect(try coordinator.verify(store).isEmpty)
        let context = ManagedObjectContext(coordinator)
        var summary = Summary()
        for entity in model.entities where !entity.isAbstract {
            let objects = try all(entity, context).filter { $0.entity.name == entity.name }
            summary.counts[entity.name] = objects.count
            for attribute in entity.attributes where !attribute.isTransient && (attribute.type.isInteger || attribute.type == .string) {
                summary.values["\(entity.name).\(attribute.name) \(attribute.type)"] = try objects.map {
                    try $0.value(forKey: attribute.name).map { "\($0)" } ?? "nil"
                }.sorted()
            }
        }
        return summary
    }

    private func all(_ entity: EntityDescription, _ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: entity.name))
    }

    @Test("A store that Apple's Core Data made is migrated to the following versions, as far as mappings can be inferred")
    func applesStores() throws {
        let file = try ModelFile(contentsOf: Fixtures.path("models/objcio/Moody.xcdatamodeld"))
        let models = try file.versions.map { (name: $0.name, model: try file.model(version: $0.name)) }
        let folder = Fixtures.path("sqlite/objcio")
        var migrated: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where !name.contains("-") && !name.hasPrefix(".") {
            for (index, target) in models.enumerated() {
                let path = directory.file("\(index) \(name)")
                for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: "\(folder)/\(name)\(suffix)") {
                    try FileManager.default.copyItem(atPath: "\(folder)/\(name)\(suffix)", toPath: path + suffix)
                }
                // Which model it was made with Core Data left in the store.
                let description = StoreDescription(.sqlite, path: path)
                let coordinator = PersistentStoreCoordinator(model: target.model)
                do {
                    let store = try coordinator.addStore(description)
                    let context = ManagedObjectContext(coordinator)
                    for entity in target.model.entities where entity.superentity == nil {
                        for object in try all(entity, context) {
                            for attribute in object.entity.attributes where !attribute.isTransient {
                                _ = try object.value(forKey: attribute.name)
                            }
                        }
                    }
                    #expect(try coordinator.verify(store).isEmpty)
                    try coordinator.remove(store)
                    migrated.append("\(name) → \(target.name)")
                } catch let error as StoreError {
                    // Nothing is corrupt, and what is refused is refused as another version.
                    #expect(
                        [.missingMapping, .migration, .incompatibleModel, .missingSourceModel].contains(error.code),
                        "\(name) → \(target.name): \(error)")
                }
            }
        }
        #expect(migrated.count == 5 * models.count, "\(migrated)")
        print("Apple's stores that were opened or migrated: \(migrated.joined(separator: ", "))")
    }
}
