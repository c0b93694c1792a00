import StrataModel
import StrataText

extension ManagedObject: CustomStringConvertible {
    /// The default of ``description``.
    final var stateDescription: String {
        let state = isDeleted ? "deleted" : isInserted ? "inserted" : isUpdated ? "updated" : isFault ? "fault" : "clean"
        let head = "\(entity.name) \(objectID) \(state)"
        if isFault || row == nil && extra?.hasValues != true { return "<\(head)>" }
        let values = entity.properties.compactMap { property in shown(property).map { "\(property.name): \($0)" } }
        return "<\(head); \(values.joined(separator: ", "))>"
    }

    /// Returns the loaded value of a property; `nil` for a hidden inverse.
    private func shown(_ property: PropertyDescription) -> String? {
        switch property {
        case .attribute(let attribute):
            let propertySlot = entity.propertySlots[attribute.index]
            let value = pendingValue(attribute.index) ?? (propertySlot.slot == nil ? attribute.defaultValue : storedValue(propertySlot))
            return value.excerpt
        case .relationship(let relationship) where relationship.isHidden: return nil
        case .relationship(let relationship) where relationship.isToMany:
            if isDetached, !hasLostContext || extra?.held[relationship.index] != nil {
                return (extra?.held[relationship.index]?.count ?? 0).counted("object")
            }
            guard let state = extra?.toMany(relationship.index), state.isLoaded || isNew else { return isNew ? "0 objects" : "not loaded" }
            return state.count.counted("object")
        case .relationship(let relationship):
            if isDetached, let held = extra?.held[relationship.index]?.first { return held.objectID.description }
            do { try requireContext(for: relationship) } catch { return "not loaded" }
            return (pendingValue(relationship.index) ?? storedDestination(relationship)).objectID?.description ?? "nil"
        }
    }
}
