import FoundationEssentials
import Strata

/// Values of `Codable` types in the forms that earlier versions stored.
enum StoredFormCases {
    private struct Style: CompositeValue, Equatable {
        var tags: [String]?
        var sizes: [String: Int] = [:]

        static let elements: [CompositeElement<Self>] = [.init("tags", \.tags), .init("sizes", \.sizes)]

        init() {}

        init(_ tags: [String]?, _ sizes: [String: Int]) {
            self.tags = tags
            self.sizes = sizes
        }
    }

    private final class Garment: ManagedObject {
        static let style = Key<Style>("style")
        static let colors = Key<[String]>("colors")
    }

    /// - Parameter isEarlier: Whether lists and elements of `Codable` types are stored as property lists.
    private static func model(isEarlier: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Garment", class: Garment.self) {
                Attribute("name", .string)
                if isEarlier {
                    Attribute("colors", .transformable, transformer: .earlier([String].self))
                    Attribute("style") {
                        Attribute("tags", .transformable, transformer: .earlier([String].self))
                        Attribute("sizes", .transformable, transformer: .earlier([String: Int].self)).required
                    }
                } else {
                    Attribute("colors", .transformable, transformer: .swiftData([String].self))
                    Attribute(Garment.style)
                }
            }
        }
    }

    private static func add(_ name: String, _ tags: [String], _ colors: [String], _ context: ManagedObjectContext) throws {
        let garment = try context.add("Garment", name)
        try garment.setValue(colors, forKey: "colors")
        try garment.setValue(["tags": tags, "sizes": ["m": tags.count]] as [String: Any], forKey: "style")
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase(
            "A condition on a Codable element or a list finds values in the form of earlier versions", in: .attributes,
            requires: .persistence
        ) { environment in
            // Rows of earlier versions were missed until they were saved again.
            let stack = try environment.stack(try model(isEarlier: true))
            let earlier = stack.context()
            try add("a", ["x", "y"], ["red"], earlier)
            try add("b", ["z"], ["blue"], earlier)
            try earlier.save()
            let context = try stack.reopened(model: try model(isEarlier: false)).context()
            try add("c", ["x", "y"], ["red"], context)
            try add("d", ["z"], ["blue"], context)
            try context.save()
            func names(_ predicate: QueryPredicate) throws -> String {
                let request = ObjectFetchRequest<Garment>(predicate, sort: [QuerySort("name")])
                return try context.fetch(request).map { try $0.value(forKey: "name") as? String ?? "-" }.joined()
            }
            try expectEqual(try names(Garment.style.tags == ["x", "y"]), "ac")
            try expectEqual(try names(Garment.style.tags != ["x", "y"]), "bd")
            try expectEqual(try names(Garment.style.tags.isIn([["z"], ["y"]])), "bd")
            try expectEqual(try names(Garment.style.sizes == ["m": 2]), "ac")
            try expectEqual(try names(Garment.style == Style(["z"], ["m": 1])), "bd")
            try expectEqual(try names(Garment.style != Style(["z"], ["m": 1])), "ac")
            try expectEqual(try names(Garment.colors == ["red"]), "ac")
            try expectEqual(try names(Garment.colors != ["red"]), "bd")
        }
    }
}
