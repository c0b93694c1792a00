import StrataModel

/// A relationship with its inverse, which is one line of a diagram.
struct RelationshipLine {
    /// The cardinality of an end of the line.
    enum Count {
        case one, oneAtMost, any, unknown
    }

    /// The entity at an end, and the name of its relationship; `nil` without inverse.
    typealias End = (entity: EntityIndex, name: String?)

    let source: End
    let destination: End
    /// The cardinality at the source.
    let nearCount: Count
    let farCount: Count

    /// The names of both relationships.
    var names: String {
        let names = [source.name, destination.name].compactMap(\.self)
        return (names.first == names.last ? Array(names.prefix(1)) : names).joined(separator: " / ")
    }

    static func all(of model: ManagedObjectModel) -> [RelationshipLine] {
        var lines: [RelationshipLine] = []
        var drawn: Set<[Int]> = []
        for entity in model.entities {
            for relationship in entity.ownRelationships {
                let inverse = model.inverse(of: relationship).flatMap { $0.isHidden ? nil : $0 }
                let (from, to) = (entity.index, inverse?.declaringEntity ?? relationship.destination)
                if let inverse {
                    // The pair was visited at its other end.
                    if drawn.contains([to.rawValue, inverse.index, from.rawValue, relationship.index]) { continue }
                    drawn.insert([from.rawValue, relationship.index, to.rawValue, inverse.index])
                }
                lines.append(
                    RelationshipLine(
                        source: (from, relationship.name), destination: (to, inverse?.name),
                        nearCount: inverse.map(count) ?? .unknown, farCount: count(relationship)))
            }
        }
        return lines
    }

    private static func count(_ relationship: RelationshipDescription) -> Count {
        relationship.isToMany ? .any : relationship.isOptional ? .oneAtMost : .one
    }
}
