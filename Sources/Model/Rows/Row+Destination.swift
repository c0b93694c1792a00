extension Row {
    /// The entity of a to-one relationship's destination.
    ///
    /// Where there is a choice, the row names it in a slot beside the reference, see
    /// ``RelationshipDescription/Storage/toOne(reference:entity:order:)``; in a damaged row it may be one that the model does not have.
    public func destinationEntity(_ slot: Slot?, of relationship: RelationshipDescription) -> EntityIndex {
        slot.flatMap { integer($0) }.map { EntityIndex($0) } ?? relationship.destination
    }
}
