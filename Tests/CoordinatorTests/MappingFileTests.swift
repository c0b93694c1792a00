import Foundation
import Strata
import StrataModelFiles
import StrataSQLite
import StrataTestSupport
import Testing

/// Mapping models as Xcode wrote them, over stores that Apple's Core Data made.
@Suite("Mapping models in files", .enabled(if: Fixtures.areAvailable))
struct MappingFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func copy(_ path: String, as name: String) throws -> StoreDescription {
        let target = directory.file(name)
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: Fixtures.path(path) + suffix) {
            try FileManager.default.copyItem(atPath: Fixtures.path(path) + suffix, toPath: target + suffix)
        }
        return StoreDescription(.sqlite, path: target)
    }

    private func context(_ description: StoreDescription, _ model: ManagedObjectModel) throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try coordinator.addStore(description)
        #expect(try coordinator.verify(store).isEmpty)
        return ManagedObjectContext(coordinator)
    }

    private func all(_ entity: String, _ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: entity))
    }

    /// The codes of countries with those of their continents, and how many moods each has.
    private func countries(_ context: ManagedObjectContext) throws -> [String] {
        try all("Country", context).map { country in
            let code = try country.value(forKey: "numericISO3166Code") as? Int ?? -1
            var continent = -1
            if country.entity.property(named: "isoContinent") != nil {
                continent = try country.value(forKey: "isoContinent") as? Int ?? -1
            } else {
                continent = try (country.value(forKey: "continent") as? ManagedObject)?.value(forKey: "numericISO3166Code") as? Int ?? -1
            }
            return "\(code) in \(continent): \(try country.objectIDs(forRelationshipNamed: "moods").count)"
        }.sorted()
    }

    /// Makes the continents that version 5 keeps as numbers of countries.
    private final class ContinentPolicy: EntityMigrationPolicy {
        override func createRelationships(
            forDestination country: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            try super.createRelationships(forDestination: country, in: mapping, manager: manager)
            let source = manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: [country])
            guard let code = try source.first?.value(forKey: "isoContinent") as? Int else { return }
            var continents = manager.userInfo["continents"] as? [Int: ManagedObject] ?? [:]
            if continents[code] == nil {
                let continent = try manager.destinationContext.insert("Continent")
                try continent.setValue(code, forKey: "numericISO3166Code")
                for attribute in continent.entity.attributes where !attribute.isOptional && attribute.type == .date {
                    try continent.setValue(Date(timeIntervalSinceReferenceDate: 0), forKey: attribute.name)
                }
                continents[code] = continent
                manager.userInfo["continents"] = continents
            }
            try country.setValue(continents[code], forKey: "continent")
        }
    }

    @Test("The versions of a model follow each other by their mapping models", arguments: [2, 3, 4, 5])
    func moody(_ begin: Int) throws {
        let file = try ModelFile(contentsOf: Fixtures.path("models/objcio/Moody.xcdatamodeld"))
        var description = try copy("sqlite/objcio/Moody \(begin).moody", as: "store.moody")
        var model = try file.model(version: "Moody \(begin)")
        description.earlierModels = [model]
        let before = try context(description, model)
        let known = try countries(before)
        let moods = try all("Mood", before).map { try $0.value(forKey: "date") as? Date }
        #expect(!known.isEmpty)
        try before.coordinator(description)
        for version in begin..<6 {
            let next = try file.model(version: "Moody \(version + 1)")
            let mapping = try MappingFile(
                contentsOf: Fixtures.path("models/objcio/Moody \(version)-Moody \(version + 1).xcmappingmodel"))
            #expect(mapping.policyNames == (version == 5 ? ["Migrations.Country5ToCountry6Policy"] : []))
            try PersistentStoreCoordinator.migrateStore(
                description, to: next, mapping: try mapping.mapping(from: model, to: next),
                policies: ["Country5ToCountry6Policy": ContinentPolicy.self])
            model = next
            description.shouldMigrateStoreAutomatically = false
            let after = try context(description, model)
            #expect(try countries(after) == known)
            #expect(try all("Mood", after).map { try $0.value(forKey: "date") as? Date } == moods)
            try after.coordinator(description)
        }
    }

    /// Makes each maker that cars name once.
    private final class MakerPolicy: EntityMigrationPolicy {
        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
            guard let name = try source.value(forKey: "maker") as? String else { return }
            var makers = manager.userInfo["makers"] as? [String: ManagedObject] ?? [:]
            let maker = try makers[name] ?? manager.destinationContext.insert("Maker")
            try maker.setValue(name, forKey: "name")
            makers[name] = maker
            manager.userInfo["makers"] = makers
            for car in manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [source]) {
                try car.setValue(maker, forKey: "createdBy")
            }
        }
    }

    @Test("A mapping model with policies and expressions of its own leads cars to their makers and former owners")
    func cars() throws {
        let file = try ModelFile(contentsOf: Fixtures.path("models/CoreDataPlus/SampleModel.xcdatamodeld"))
        let (second, third) = (try file.model(version: "SampleModel2"), try file.model(version: "SampleModel3"))
        var description = try copy("sqlite/CoreDataPlus/SampleModel_V2.sqlite", as: "cars.sqlite")
        description.earlierModels = [second]
        let before = try context(description, second)
        let cars = try all("Car", before).map { car in
            "\(car.entity.name) \(try car.value(forKey: "numberPlate") ?? "-") \(try car.value(forKey: "maker") ?? "-") "
                + "\(try (car.value(forKey: "owner") as? ManagedObject)?.value(forKey: "lastName") ?? "-")"
        }
        #expect(cars.count > 10)
        try before.coordinator(description)
        let mapping = try MappingFile(contentsOf: Fixtures.path("xml/V2toV3.xcmapping.xml"))
        #expect(mapping.policyNames == ["REPLACE_AT_RUNTIME.V2to3MakerPolicy"])
        try PersistentStoreCoordinator.migrateStore(
            description, to: third, mapping: try mapping.mapping(from: second, to: third), policies: ["V2to3MakerPolicy": MakerPolicy.self])
        description.shouldMigrateStoreAutomatically = false
        let after = try context(description, third)
        let found = try all("Car", after).map { car in
            "\(car.entity.name) \(try car.value(forKey: "numberPlate") ?? "-") "
                + "\(try (car.value(forKey: "createdBy") as? ManagedObject)?.value(forKey: "name") ?? "-") "
                + "\(try (car.value(forKey: "owner") as? ManagedObject)?.value(forKey: "lastName") ?? "-")"
        }
        #expect(found == cars)
        for car in try all("Car", after) {
            let owner = try car.value(forKey: "owner") as? ManagedObject
            #expect(try car.value(forKey: "previousOwners") as? Set<ManagedObject> == Set(owner.map { [$0] } ?? []))
        }
        try after.coordinator(description)
    }
}

extension ManagedObjectContext {
    /// Closes the store, so that it can be migrated.
    fileprivate func coordinator(_ description: StoreDescription) throws {
        guard let coordinator = coordinator as? PersistentStoreCoordinator else { return }
        for store in coordinator.stores { try coordinator.remove(store) }
    }
}
