import FoundationEssentials
import Strata
import StrataModel
import StrataSQLite
import StrataTestSupport
import Testing

/// Values of the stores among the fixtures that keep their model, as Strata reads them and as SQLite shows them.
@Suite("Values of stores that Apple's frameworks wrote", .enabled(if: Fixtures.areAvailable)) struct AppleStoreValueTests {
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
        case let decimal as Decimal: Decimal(string: column) == decimal || Double(column) == Double("\(decimal)")
        default: text(value) == column
        }
    }

    /// Returns whether a column has a value, which external storage marks with its first byte.
    private func isEqual(_ value: Any?, _ column: String, _ attribute: AttributeDescription) -> Bool {
        guard attribute.declaration.allowsExternalStorage, column != "NULL" else { return isEqual(value, column) }
        return text(value) == "X'" + column.dropFirst("X'01".count)
    }

    @Test("A store opens with its own model, and every value is what SQLite shows", arguments: AppleStore.withCache) func values(
        _ store: AppleStore
    ) throws {
        let directory = try TemporaryDirectory()
        let path = try store.copied(to: directory)
        let coordinator = try PersistentStoreCoordinator(openingWithOwnModel: StoreDescription(.sqlite, path: path, isReadOnly: true))
        let model = coordinator.model
        #expect(store.metadata.versionHashes == model.entityVersionHashesByName)
        let context = ManagedObjectContext(coordinator)
        var (count, external) = (0, 0)
        for root in model.entities where root.superentity == nil {
            for (index, columns) in columns(root, model) where !model.entities[index].isAbstract {
                let entity = model.entities[index]
                var request = ObjectFetchRequest<ManagedObject>(entityName: entity.name)
                request.includesSubentities = false
                let numbers = try SwiftDataStore.query("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity.name)'", at: path)
                let number = numbers.first?.first ?? "\(index.rawValue + 1)"
                let sql = columns.map { ", quote(\"\($0.1)\")" }.joined()
                let rows = try SwiftDataStore.query(
                    "SELECT Z_PK\(sql) FROM \"Z\(root.name.uppercased())\" WHERE Z_ENT = \(number)", at: path)
                let expected = Dictionary(rows.map { ($0[0], $0) }) { first, _ in first }
                let objects = try context.fetch(request)
                #expect(objects.count == rows.count, "\(entity.name)")
                for object in objects {
                    let row = try #require(expected["\(object.objectID.reference)"])
                    for (number, (attribute, column)) in columns.enumerated() {
                        // The value is in a file of its own.
                        if attribute.declaration.allowsExternalStorage, row[number + 1].hasPrefix("X'02") {
                            external += 1
                            continue
                        }
                        let value = try object.value(forKey: attribute.name)
                        #expect(isEqual(value, row[number + 1], attribute), "\(attribute.name) of \(object.objectID) and \(column)")
                        count += 1
                    }
                }
            }
        }
        print("Figure: values equal to SQL in \(store): \(count)" + (external == 0 ? "" : ", \(external) in files of their own"))
    }
}
