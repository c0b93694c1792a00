public import StrataModel

/// Optional relationships of an entity that have a destination and a cardinality alone.
///
/// ```swift
/// Entity("Person") { Relationships(["boss": .toOne("Person.reports"), "reports": .toMany("Person.boss")]) }
/// ```
public struct Relationships: EntityElement {
    /// The destination's entity, with the inverse relationship where there is one: `Person` or `Person.reports`.
    public enum Destination {
        case toOne(String), toMany(String), ordered(String)

        func relationship(_ name: String) -> Relationship {
            let (path, cardinality): (String, Relationship.Cardinality) =
                switch self {
                case .toOne(let path): (path, .toOne)
                case .toMany(let path): (path, .toMany)
                case .ordered(let path): (path, .ordered)
                }
            let parts = path.split(separator: ".").map(String.init)
            return Relationship(name, to: parts[0], inverse: parts.dropFirst().first, cardinality)
        }
    }

    private let relationships: [Relationship]

    /// Creates relationships in the order of the names.
    public init(_ destinations: KeyValuePairs<String, Destination>) { relationships = destinations.map { $1.relationship($0) } }

    public func add(to entity: inout Entity) { entity.relationships += relationships }
}
