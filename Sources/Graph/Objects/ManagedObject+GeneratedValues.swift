import StrataCoordinator
import StrataModel
import StrataStore

extension ManagedObject {
    /// Sets the generated values of a new object.
    ///
    /// - Parameter onlyMissing: Whether values other than nil and the attribute's default are kept.
    /// - Throws: `StoreError` where no number can be reserved.
    final func generateValues(onlyMissing: Bool) throws {
        for attribute in entity.generatedAttributes {
            let propertySlot = entity.propertySlots[attribute.index]
            if onlyMissing, let known = pendingValue(attribute.index), !known.isNull, known != attribute.defaultValue { continue }
            switch attribute.declaration.generatedValue {
            case .uuidV7: setAttribute(.uuid(GeneratedValue.newUUID()), propertySlot)
            case .sequence:
                guard let number = try withContext({ try $0.source.sequenceNumber(for: entity) }) else { continue }
                setAttribute(.int(number), propertySlot)
            case nil: break
            }
        }
    }
}

extension ManagedObjectContext {
    /// Sets the generated values of inserted objects for which no number could be reserved when they were inserted.
    ///
    /// - Throws: `StoreError` where none can be reserved.
    func generateMissingValues() throws {
        guard saveState.lacksGeneratedValues else { return }
        for object in tracker.changed where object.isInserted { try object.generateValues(onlyMissing: true) }
        saveState.lacksGeneratedValues = false
    }
}
