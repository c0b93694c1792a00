import StrataStore

/// The links that the file has at one end alone, up to a limit.
///
/// Core Data opens such files. A link that does not contradict another one is read at both ends.
struct LinkEnds {
    private static let limit = 100
    private(set) var problems: [StoreProblem] = []
    private let model: ManagedObjectModel

    init(_ model: ManagedObjectModel) { self.model = model }

    /// Adds a link of a relationship.
    ///
    /// - Parameter other: The id that the destination names instead; `nil` for none.
    mutating func add(
        _ owner: Row, _ id: String, to destination: String, insteadOf other: String? = nil, _ relationship: RelationshipDescription
    ) {
        guard problems.count < LinkEnds.limit else { return }
        let outcome = other.map { "which names \($0): the link is left out" } ?? "which does not name it: the link is read at both ends"
        problems.append(
            StoreProblem(
                relationship.isToMany ? .link : .reference, "\(id) names \(destination), \(outcome)",
                entity: model.entities[owner.entityIndex].name, reference: owner.reference, key: relationship.name))
    }
}
