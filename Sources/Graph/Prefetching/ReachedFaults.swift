import StrataModel

/// The faults that to-one relationships referenced without firing: a program that collects them is about to fire them.
struct ReachedFaults {
    private static let maximum = PrefetchPolicy.batchSize
    private var families: [Family] = []

    private struct Family {
        let scope: ObjectIDScope
        var references: [Int64] = []
        var hasFired = false
    }

    mutating func add(_ id: ObjectID) {
        guard let index = index(of: id) else { return families.append(Family(scope: id.scope, references: [id.reference])) }
        if families[index].references.count == ReachedFaults.maximum { families[index].references.removeFirst(ReachedFaults.maximum / 2) }
        families[index].references.append(id.reference)
    }

    /// Takes the references to fire with one of them, in ascending order without its own; none with the first that
    /// fires.
    mutating func take(with id: ObjectID) -> [Int64] {
        guard let index = index(of: id), families[index].references.contains(id.reference) else { return [] }
        if !families[index].hasFired {
            families[index].hasFired = true
            return []
        }
        var references = families[index].references
        families[index].references.removeAll(keepingCapacity: true)
        references.sort()
        var last = id.reference
        references.removeAll { reference in
            defer { last = reference }
            return reference == last || reference == id.reference
        }
        return references
    }

    private func index(of id: ObjectID) -> Int? { families.firstIndex { $0.scope === id.scope } }
}
