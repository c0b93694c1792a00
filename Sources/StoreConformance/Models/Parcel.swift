import FoundationEssentials
import Strata

/// A value of a type that is only `Codable`, with members of many types.
struct Note: Codable, Hashable, Sendable {
    enum Mood: String, Codable, CaseIterable {
        case calm, wild, absent = "$null"
    }

    enum Content: Codable, Hashable {
        case empty
        case text(String)
        case marks(first: Int, second: Double?)
    }

    var title = ""
    var body: String?
    var lines: [String?] = []
    var names: [String: String] = [:]
    var numbers: [Int: UInt64] = [:]
    var whole: [Int64] = []
    var measures: [Double] = []
    var small: [Float] = []
    var price: Decimal?
    var date: Date?
    var bytes: Data?
    var id: UUID?
    var link: URL?
    var mood: Mood?
    var content: Content = .empty
    var nested: [Note] = []
}

/// Elements of types that are only `Codable`.
struct Style: CompositeValue, Equatable {
    var mood: Note.Mood?
    var other: Note.Mood = .calm
    var lines: [String]?
    var note: Note?
    var content: Note.Content?
    var sizes: [String: Int] = [:]
    var number: Int?
    var title: String? { note?.title }
    var reversed: [String]? { lines.map { $0.reversed() } }

    static let elements: [CompositeElement<Self>] = [
        .init("mood", \.mood), .init("other", \.other), .init("lines", \.lines), .init("note", \.note), .init("content", \.content),
        .init("sizes", \.sizes), .init("number", \.number),
    ]
}

/// What `Codable` values are of.
final class Parcel: ManagedObject {
    static let name = Key<String>("name")
    static let note = Key<Note>("note")
    static let notes = Key<[Note]>("notes")
    static let lines = Key<[String]>("lines")
    static let tags = Key<Set<String>>("tags")
    static let style = Key<Style>("style")

    var name: String? { self[Parcel.name] }
    var note: Note? { self[Parcel.note] }
    var style: Style? { self[Parcel.style] }

    @discardableResult
    convenience init(_ name: String, _ note: Note?, _ context: ManagedObjectContext) {
        self.init(context: context)
        self[Parcel.name] = name
        self[Parcel.note] = note
    }
}

extension Models {
    static func parcels() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Parcel", class: Parcel.self) {
                Attribute(Parcel.name, .string)
                Attribute(Parcel.note)
                Attribute(Parcel.notes)
                Attribute("lines", .transformable, transformer: .swiftData([String].self))
                Attribute(Parcel.tags)
                Attribute(Parcel.style)
            }
        }
    }

    /// The entity with the property lists of earlier versions.
    static func earlierParcels() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Parcel", class: Parcel.self) {
                Attribute(Parcel.name, .string)
                Attribute("note", .transformable, transformer: .earlier(Note.self))
                Attribute("notes", .transformable, transformer: .earlier([Note].self))
                Attribute("lines", .transformable, transformer: .earlier([String].self))
                Attribute("tags", .transformable, transformer: .earlier(Set<String>.self))
                Attribute(Parcel.style)
            }
        }
    }
}

extension ValueTransformer {
    /// Returns a transformer that stores a `Codable` type as the property list of earlier versions.
    static func earlier<T: Codable & Sendable>(_ type: T.Type) -> ValueTransformer {
        ValueTransformer(name: "earlier", type) { value in
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            return try encoder.encode([value])
        } decode: { bytes in
            try PropertyListDecoder().decode([T].self, from: bytes)[0]
        }
    }
}
