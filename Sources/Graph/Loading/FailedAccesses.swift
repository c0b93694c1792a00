import StrataModel
import StrataStore

/// The reads and assignments that failed without an error, as accessors cannot throw.
///
/// A save throws the error instead: nothing that may result from a failed read is stored. A failed read is settled by a
/// successful read of the same value, unless objects were changed in between; then a save throws first. A refused
/// assignment is settled by a successful one, or, after a save threw it, by reading.
///
/// The ``RowLoader`` and the accessors record failures, the ``ChangeTracker`` records changes.
final class FailedAccesses {
    /// The last error, whether it prevents a save or not.
    var lastError: (any Error)?
    private struct Failure {
        var error: any Error
        var number: Int
        /// Whether a read returned no value.
        var isAnswered = false
        var isRefused = false
        /// Whether a save threw the error.
        var isReported = false

        /// Returns whether a successful read of the same value settles the failure.
        func isSettledByRead(_ countAtChange: Int) -> Bool { isReported || (!isRefused && countAtChange < number) }
    }

    private struct Failures {
        let object: ManagedObject
        /// By the name of the property; `nil` for the row as a whole.
        var byKey: [String?: Failure] = [:]
    }

    @safe @exclusivity(unchecked) private var byObject: [ObjectIdentifier: Failures] = [:]
    @safe @exclusivity(unchecked) private var count = 0
    /// The number of the latest failure at the latest change.
    @safe @exclusivity(unchecked) private var countAtChange = 0

    /// The reason why objects outside the context were not inserted, until a save throws it.
    @safe @exclusivity(unchecked) private var refusedInsertions: [any Error] = []

    var isEmpty: Bool { byObject.isEmpty && refusedInsertions.isEmpty }

    /// Records why an object outside the context is not inserted; it may be in another context, and is not marked.
    func addRefusedInsertion(_ error: any Error) {
        lastError = error
        refusedInsertions.append(error)
    }

    /// Records a value that an accessor could not read or assign.
    ///
    /// - Parameters:
    ///   - key: The name of the property; `nil` for the row as a whole.
    ///   - isAnswered: Whether a read returned no value; else an assignment was refused.
    func add(_ error: any Error, of object: ManagedObject, _ key: String?, isAnswered: Bool) {
        lastError = error
        // The rest of the row is here: a save leaves a lost value as it is until it is assigned.
        if isAnswered, let key, object.isLost(key) { return }
        count += 1
        object.markLoading(.unreadable)
        let known = byObject[ObjectIdentifier(object)]?.byKey[key]
        var failure = Failure(error: error, number: count)
        failure.isAnswered = isAnswered || (known?.isAnswered ?? false && known?.isReported == false)
        failure.isRefused = !isAnswered || known?.isRefused ?? false
        byObject[ObjectIdentifier(object), default: Failures(object: object)].byKey[key] = failure
    }

    /// Records a change of any object, which may result from failed reads.
    @inline(__always)
    func noteChange() { countAtChange = count }

    /// Returns the error that refuses an assignment: a failed read of the property that no save threw yet.
    func refusal(of object: ManagedObject, _ key: String) -> (any Error)? {
        guard let failure = byObject[ObjectIdentifier(object)]?.byKey[key], failure.isAnswered, !failure.isReported else { return nil }
        return failure.error
    }

    func didRead(_ object: ManagedObject, _ key: String) {
        remove(of: object) { [countAtChange] name, failure in
            // A composite attribute is read by its elements.
            (name.map { $0 == key || key.hasPrefix($0 + ".") } ?? true) && failure.isSettledByRead(countAtChange)
        }
    }

    /// Records that an object's row was fetched on demand, and all values in it read.
    func didReadRow(of object: ManagedObject) {
        guard object.flags.contains(.unreadable) else { return }
        let entity = object.entity
        remove(of: object) { [countAtChange] name, failure in
            guard let name else { return failure.isSettledByRead(countAtChange) }
            return switch entity.property(named: name) {
            case .attribute: failure.isSettledByRead(countAtChange)
            case .relationship(let relationship): !relationship.isToMany && failure.isSettledByRead(countAtChange)
            case nil: entity.compositeAttribute(named: name) != nil && failure.isSettledByRead(countAtChange)
            }
        }
    }

    func didAssign(_ object: ManagedObject, _ key: String) { remove(of: object) { name, _ in name == key } }

    /// Records that an object's changes were discarded, and with them refused assignments.
    func didForgetChanges(of object: ManagedObject) {
        guard object.flags.contains(.unreadable), let failures = byObject[ObjectIdentifier(object)] else { return }
        for (key, _) in failures.byKey { byObject[ObjectIdentifier(object)]?.byKey[key]?.isRefused = false }
        remove(of: object) { [countAtChange] _, failure in !failure.isAnswered || failure.isSettledByRead(countAtChange) }
    }

    func remove(_ object: ManagedObject) {
        if object.flags.contains(.unreadable) { remove(of: object) { _, _ in true } }
    }

    func removeAll() {
        for failures in byObject.values { failures.object.markLoading(clearing: .unreadable) }
        byObject = [:]
        refusedInsertions = []
    }

    private func remove(of object: ManagedObject, where isRemoved: (String?, Failure) -> Bool) {
        guard var failures = byObject[ObjectIdentifier(object)] else { return }
        failures.byKey = failures.byKey.filter { !isRemoved($0.key, $0.value) }
        byObject[ObjectIdentifier(object)] = failures.byKey.isEmpty ? nil : failures
        if failures.byKey.isEmpty { object.markLoading(clearing: .unreadable) }
    }

    /// Throws the first failure, as `StoreError` with the code of its cause, its object and its key.
    func throwFirst() throws {
        if isEmpty { return }
        if let refused = refusedInsertions.first {
            refusedInsertions = []
            throw refused
        }
        var first: (object: ManagedObject, key: String?, failure: Failure)?
        var others = -1
        for (id, failures) in byObject {
            for (key, failure) in failures.byKey {
                // Refused assignments to a deleted object would not be stored.
                if failures.object.isDeleted && !failure.isAnswered { continue }
                others += 1
                if failure.number < first?.failure.number ?? .max { first = (failures.object, key, failure) }
                byObject[id]?.byKey[key]?.isReported = true
            }
        }
        guard let first else { return }
        throw FailedAccesses.error(first.object, first.key, first.failure, others)
    }

    private static func error(_ object: ManagedObject, _ key: String?, _ failure: Failure, _ others: Int) -> StoreError {
        let cause = failure.error
        let known = cause as? StoreError
        if let known, known.code == .wrongValue || known.code == .unknownEntity { return known }
        let name = "\(key.map { "\($0) of " } ?? "")\(object.objectID)"
        let more = others > 0 ? ", nor \(others) more" : ""
        if known == nil, !failure.isAnswered {
            return StoreError(
                .wrongValue, .save, "\(name) could not be assigned\(more): assign another value", entity: object.entity.name, key: key,
                underlying: cause)
        }
        return StoreError(
            known?.code ?? .io, .save,
            "\(name) could not be read\(more): values computed from it are not saved; read it again",
            path: known?.path, entity: object.entity.name, key: key, underlying: cause, recovery: known?.recovery ?? .retryable)
    }
}
