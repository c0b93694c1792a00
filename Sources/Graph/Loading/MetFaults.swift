import StrataModel

/// Faults that to-one relationships led to and that did not fire at once: whoever collects them is about to have them fire.
struct MetFaults {
    private static let most = WalkedRelationships.batchSize
    private var families: [Family] = []

    /// The faults of one store and entity.
    private struct Family {
        let scope: ObjectIDScope
        var references: [Int64] = []
        var hasFired = false
    }

    mutating func add(_ id: ObjectID) {
        guard let place = place(of: id) else { return families.append(Family(scope: id.scope, references: [id.reference])) }
        if families[place].references.count == MetFaults.most { families[place].references.removeFirst(MetFaults.most / 2) }
        families[place].references.append(id.reference)
    }

    /// Takes out the references of those to fire with one of them, in ascending order and without its own; none with the first that fires.
    mutating func take(with id: ObjectID) -> [Int64] {
        guard let place = place(of: id), families[place].references.contains(id.reference) else { return [] }
        if !families[place].hasFired {
            families[place].hasFired = true
            return []
        }
        var references = families[place].references
        families[place].references.removeAll(keepingCapacity: true)
        references.sort()
        var last = id.reference
        references.removeAll { reference in
            defer { last = reference }
            return reference == last || reference == id.reference
        }
        return references
    }

    private func place(of id: ObjectID) -> Int? { families.firstIndex { $0.scope === id.scope } }
}
