import FoundationEssentials
public import StrataGraph

/// Objects for tests, written in JSON.
///
/// Entities have objects with a name each, by which relationships reference them; objects that nothing references may stand in an array.
/// Attributes that are left out have their default.
///
/// ```json
/// {
///   "Shelf": {"novels": {"name": "Novels", "books": ["emma", "persuasion"]}},
///   "Book": {
///     "emma": {"title": "Emma", "published": "1815-12-23T00:00:00Z"},
///     "persuasion": {"title": "Persuasion"}
///   },
///   "Visitor": [{"name": "Ada"}, {"name": "Grace"}]
/// }
/// ```
/// Dates are texts of ISO 8601 with a time, decimals and UUIDs texts, bytes and stored forms of transformable values base64, composite
/// attributes objects.
public struct Fixtures: Sendable {
    private enum Source {
        case text(String)
        case file(String)
    }

    private let source: Source

    /// Returns the fixtures of a text of JSON.
    public static func json(_ text: String) -> Fixtures { Fixtures(source: .text(text)) }

    /// Returns the fixtures of a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file, relative to the folder of the source file that calls this.
    ///   - source: The path of that source file.
    public static func file(_ path: String, relativeTo source: String = #filePath) -> Fixtures {
        Fixtures(source: .file(SourceFile.path(path, besides: source)))
    }

    /// Inserts the objects into a context, which its caller saves; entities and objects in the order of their names.
    ///
    /// - Returns: The objects that have a name, by it.
    /// - Throws: ``FixtureError`` where the text is malformed or does not fit the context's model. The context has unsaved objects then.
    @discardableResult
    public func insert(into context: ManagedObjectContext) throws -> [String: ManagedObject] {
        var loader = FixtureLoader(context)
        return try loader.load(try content())
    }

    private func content() throws -> [(name: String, value: FixtureNode)] {
        let (bytes, name): (Data, String)
        switch source {
        case .text(let text): (bytes, name) = (Data(text.utf8), "the fixtures")
        case .file(let path):
            do { (bytes, name) = (try Data(contentsOf: URL(filePath: path)), path) } catch {
                throw FixtureError("the fixtures cannot be read: \(path)")
            }
        }
        var parser = FixtureParser(bytes, name)
        guard case .object(let entities) = try parser.parse().content else { throw FixtureError("\(name): no object of JSON") }
        return entities
    }
}

/// Fixtures that are malformed, or do not fit a model.
public struct FixtureError: Error, CustomStringConvertible {
    /// What is wrong, with the entity, the object, its line and the property.
    public let description: String

    init(_ description: String) { self.description = description }
}
