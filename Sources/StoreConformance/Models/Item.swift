import FoundationEssentials
import Strata
import StrataTestModels

/// An object with an attribute of every type.
final class Item: ManagedObject {
    static let number = Key<Int64>("number")
    static let i16 = Key<Int16>("i16")
    static let i32 = Key<Int32>("i32")
    static let i64 = Key<Int64>("i64")
    static let decimal = Key<Decimal>("decimal")
    static let double = Key<Double>("double")
    static let float = Key<Float>("float")
    static let text = Key<String>("text")
    static let flag = Key<Bool>("flag")
    static let date = Key<Date>("date")
    static let data = Key<Data>("data")
    static let uuid = Key<UUID>("uuid")
    static let url = Key<URL>("url")
    static let blob = Key<Data>("blob")
    static let scratch = Key<String>("scratch")

    /// Items with a value each, numbered from 0 in the order of the values.
    static func insert<V: ValueConvertible>(_ values: [V?], of key: Key<V>, into context: ManagedObjectContext) {
        for (index, value) in values.enumerated() {
            let item = Item(context: context)
            item[number] = Int64(index)
            item[key] = value
        }
    }

    static func entity(indexed: Bool) -> Entity {
        Entity("Item", class: Item.self) {
            Attribute("number", .integer64, default: 0)
            Attributes([
                "i16": .integer16, "i32": .integer32, "i64": .integer64, "decimal": .decimal, "double": .double, "float": .float,
                "text": .string, "flag": .boolean, "date": .date, "data": .binary, "uuid": .uuid, "url": .uri,
            ])
            Attribute("tags", .transformable, transformer: .codable([String].self))
            Attribute("blob", .binary).externalStorage
            Attribute("scratch", .string, default: "blank").transient
            if indexed {
                for name in ["i16", "i32", "i64", "decimal", "double", "float", "text", "flag", "date", "data", "uuid", "url", "blob"] {
                    FetchIndex("by_\(name)", on: FetchIndex.Element(name))
                }
                FetchIndex("by_text_and_number", on: "text", FetchIndex.Element("number", ascending: false))
            }
        }
    }
}

/// A model, or why it cannot be made.
typealias ModelResult = Result<ManagedObjectModel, any Error>

/// The models of the suite, each made once.
enum Models {
    /// Items without an index.
    static let items: ModelResult = Result { try ManagedObjectModel { Item.entity(indexed: false) } }
    /// Items with an index over each attribute.
    static let indexedItems: ModelResult = Result { try ManagedObjectModel { Item.entity(indexed: true) } }
}

extension ConformanceEnvironment {
    /// Opens a store under a model that may fail to be made.
    func stack(
        _ model: ModelResult,
        _ name: String = "store",
        change: (inout StoreDescription) -> Void = { _ in }
    ) throws -> ConformanceStack {
        try stack(try model.get(), name, change: change)
    }
}
