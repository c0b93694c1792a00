import FoundationEssentials
import Strata
import StrataModel
import StrataSQLite
import StrataTestSupport
import Testing

/// Stores of SwiftData among the fixtures: those whose compiled model has composite attributes.
@Suite("Stores that SwiftData wrote", .enabled(if: Fixtures.areAvailable)) struct SwiftDataFixtureTests {
    static let stores: [String] = {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: Fixtures.path("sqlite"))) ?? []
        let found = names.sorted().map { Fixtures.path("sqlite/" + $0) }.filter { path in
            let model = try? PersistentStoreCoordinator.model(ofStoreAt: .file(path), StoreDescription(.sqlite, path: path).driver)
            return model?.hasCompositeAttributes == true
        }
        if found.isEmpty { print("No store of SwiftData is among the fixtures.") }
        return found
    }()

    /// The columns of an entity's attributes: the properties of the whole table in order, with a number where a name is taken.
    private func columns(_ root: EntityDescription, _ model: ManagedObjectModel) -> [EntityIndex: [(AttributeDescription, String)]] {
        var taken: [String: Int] = [:]
        var columns: [EntityIndex: [(AttributeDescription, String)]] = [:]
        func take(_ name: String) -> String {
            defer { taken[name, default: 0] += 1 }
            return name + (taken[name].map { "\($0)" } ?? "")
        }
        for index in root.hierarchy {
            let entity = model.entities[index]
            let composites = entity.compositeAttributes.filter { $0.declaringEntity == index && !$0.name.contains(".") }
            let plain = entity.properties.compactMap { property -> (String, [AttributeDescription])? in
                switch property {
                case .attribute(let attribute):
                    let isOwn = attribute.declaringEntity == index && attribute.slot != nil && !attribute.name.contains(".")
                    return isOwn ? (attribute.name, [attribute]) : nil
                case .relationship(let relationship):
                    return relationship.declaringEntity == index && !relationship.isToMany ? (relationship.name, []) : nil
                }
            }
            for (name, attributes) in (plain + composites.map { ($0.name, $0.attributes) }).sorted(by: { $0.0 < $1.0 }) {
                if attributes.isEmpty { _ = take("Z" + name.uppercased()) }
                for attribute in attributes {
                    let own = String(attribute.name.split(separator: ".").last ?? "").uppercased()
                    columns[index, default: []].append((attribute, take("Z" + own)))
                }
            }
        }
        return columns
    }

    private func text(_ value: Any?) -> String {
        switch value {
        case nil: "NULL"
        case let flag as Bool: flag ? "1" : "0"
        case let number as any BinaryInteger: "\(number)"
        case let text as String: "'" + text.replacing("'", with: "''") + "'"
        case let data as Data: "X'" + data.map { String(Int($0) + 256, radix: 16, uppercase: true).dropFirst() }.joined() + "'"
        case let id as UUID: "X'" + id.uuidString.replacing("-", with: "") + "'"
        case let url as URL: text(url.absoluteString)
        default: "?"
        }
    }

    private func isEqual(_ value: Any?, _ column: String) -> Bool {
        switch value {
        case let number as Double: Double(column) == number
        case let number as Float: Float(column) == number
        case let date as Date: Double(column) == date.timeIntervalSinceReferenceDate
        case let decimal as Decimal: Decimal(string: column) == decimal
        default: text(value) == column
        }
    }

    @Test("A store opens with its own model, and every value is what SQLite shows", arguments: stores) func values(_ store: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("copy.store")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store + suffix) {
            try FileManager.default.copyItem(atPath: store + suffix, toPath: path + suffix)
        }
        let coordinator = try PersistentStoreCoordinator(openingWithOwnModel: StoreDescription(.sqlite, path: path, isReadOnly: true))
        let model = coordinator.model
        #expect(try coordinator.stores.first?.metadata().versionHashes == model.entityVersionHashesByName)
        let context = ManagedObjectContext(coordinator)
        var count = 0
        for root in model.entities where root.superentity == nil {
            for (index, columns) in columns(root, model) where !model.entities[index].isAbstract {
                var request = ObjectFetchRequest<ManagedObject>(entityName: model.entities[index].name)
                request.includesSubentities = false
                let number = try SwiftDataStore.query(
                    "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(model.entities[index].name)'", at: path)
                let sql = columns.map { ", quote(\($0.1))" }.joined()
                let rows = try SwiftDataStore.query(
                    "SELECT Z_PK\(sql) FROM Z\(root.name.uppercased()) WHERE Z_ENT = \(number[0][0])", at: path)
                let expected = Dictionary(rows.map { ($0[0], $0) }) { first, _ in first }
                let objects = try context.fetch(request)
                #expect(objects.count == rows.count)
                for object in objects {
                    let row = try #require(expected["\(object.objectID.reference)"])
                    for (number, (attribute, column)) in columns.enumerated() {
                        let value = try object.value(forKey: attribute.name)
                        #expect(isEqual(value, row[number + 1]), "\(attribute.name) of \(object.objectID) and \(column)")
                        count += 1
                    }
                }
            }
        }
        print("\(store): \(count) values compared")
    }
}
