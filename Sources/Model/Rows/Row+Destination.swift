extension Row {
    /// The entity of a to-one relationship's destination: the one that the row names beside the reference, where there is a choice, which in
    /// a damaged row may be one that the model does not have.
    ///
    /// - Parameter slot: Where the row names it, see ``RelationshipDescription/Storage/toOne(reference:entity:order:)``.
    public func destinationEntity(_ slot: Slot?, of relationship: RelationshipDescription) -> EntityIndex {
        slot.flatMap { integer($0) }.map { EntityIndex($0) } ?? relationship.destination
    }
}
