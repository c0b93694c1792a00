import StrataModel
import StrataStore

/// What could not be read of a context's objects although somebody asked, who got nothing for an answer, or whose assignment was refused.
///
/// Accessors cannot throw, so a save does: nothing that may come of a read that failed is stored. A failure is made up for when the same is
/// read after all, unless objects were changed in between, which may come of it: then a save has to tell of it first. An assignment that was
/// refused is made up for by one that is not, or, after a save told of it, by reading.
///
/// The ``RowLoader`` and the accessors write it down, the ``ChangeTracker`` tells it of changes, and a save asks it.
final class FailedAccesses {
    /// What went wrong last, whether it stands against a save or not.
    var lastError: (any Error)?
    private struct Failure {
        var error: any Error
        /// The place in the order of failures.
        var number: Int
        /// Whether somebody who read got nothing for an answer.
        var isAnswered = false
        /// Whether an assignment was refused.
        var isRefused = false
        /// Whether a save told of it.
        var isTold = false

        /// Returns whether reading the same after all makes up for it.
        func isMadeUpFor(_ countAtChange: Int) -> Bool { isTold || (!isRefused && countAtChange < number) }
    }

    private struct Failures {
        let object: ManagedObject
        /// By the name of the property; `nil` for the row as a whole.
        var byKey: [String?: Failure] = [:]
    }

    @safe @exclusivity(unchecked) private var byObject: [ObjectIdentifier: Failures] = [:]
    @safe @exclusivity(unchecked) private var count = 0
    /// The place of the latest failure at the time of the latest change.
    @safe @exclusivity(unchecked) private var countAtChange = 0

    /// Why objects outside the context were not inserted, until a save throws it.
    @safe @exclusivity(unchecked) private var refusedInsertions: [any Error] = []

    var isEmpty: Bool { byObject.isEmpty && refusedInsertions.isEmpty }

    /// Records why an object outside the context is not inserted; the object itself is not marked, as it may be in another context.
    func addRefusedInsertion(_ error: any Error) {
        lastError = error
        refusedInsertions.append(error)
    }

    /// Takes note of what an accessor could not read, and answered with nothing, or could not assign.
    ///
    /// - Parameters:
    ///   - key: The name of the property; `nil` for the row as a whole.
    ///   - isAnswered: Whether somebody got nothing for an answer; else an assignment was refused.
    func add(_ error: any Error, of object: ManagedObject, _ key: String?, isAnswered: Bool) {
        lastError = error
        // The row is here, and so is all else of it: a save leaves what is lost as it is until it is assigned to.
        if isAnswered, let key, object.isLost(key) { return }
        count += 1
        object.markLoading(.unreadable)
        let known = byObject[ObjectIdentifier(object)]?.byKey[key]
        var failure = Failure(error: error, number: count)
        failure.isAnswered = isAnswered || (known?.isAnswered ?? false && known?.isTold == false)
        failure.isRefused = !isAnswered || known?.isRefused ?? false
        byObject[ObjectIdentifier(object), default: Failures(object: object)].byKey[key] = failure
    }

    /// Takes note of a change of any object: it may come of what was answered.
    @inline(__always)
    func noteChange() { countAtChange = count }

    /// What stands against an assignment to a property: that its value was read in vain, and that no save told of it yet.
    func refusal(of object: ManagedObject, _ key: String) -> (any Error)? {
        guard let failure = byObject[ObjectIdentifier(object)]?.byKey[key], failure.isAnswered, !failure.isTold else { return nil }
        return failure.error
    }

    /// Takes note that a property was read.
    func didRead(_ object: ManagedObject, _ key: String) {
        remove(of: object) { [countAtChange] name, failure in (name == key || name == nil) && failure.isMadeUpFor(countAtChange) }
    }

    /// Takes note that an object's row was brought at somebody's wish: all that lies in it was read.
    func didReadRow(of object: ManagedObject) {
        guard object.flags.contains(.unreadable) else { return }
        let entity = object.entity
        remove(of: object) { [countAtChange] name, failure in
            guard let name else { return failure.isMadeUpFor(countAtChange) }
            return switch entity.property(named: name) {
            case .attribute: failure.isMadeUpFor(countAtChange)
            case .relationship(let relationship): !relationship.isToMany && failure.isMadeUpFor(countAtChange)
            case nil: false
            }
        }
    }

    /// Takes note that a property was assigned to.
    func didAssign(_ object: ManagedObject, _ key: String) { remove(of: object) { name, _ in name == key } }

    /// Takes note that the changes of an object were forgotten, and with them what was refused.
    func didForgetChanges(of object: ManagedObject) {
        guard object.flags.contains(.unreadable), let failures = byObject[ObjectIdentifier(object)] else { return }
        for (key, _) in failures.byKey { byObject[ObjectIdentifier(object)]?.byKey[key]?.isRefused = false }
        remove(of: object) { [countAtChange] _, failure in !failure.isAnswered || failure.isMadeUpFor(countAtChange) }
    }

    /// Forgets an object that the context forgets.
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

    /// Tells of all failures.
    ///
    /// - Throws: `StoreError` with the code of the first failure's cause, its object and its key.
    func tell() throws {
        if isEmpty { return }
        if let refused = refusedInsertions.first {
            refusedInsertions = []
            throw refused
        }
        var first: (object: ManagedObject, key: String?, failure: Failure)?
        var others = -1
        for (id, failures) in byObject {
            for (key, failure) in failures.byKey {
                // What was refused to an object that is to be deleted would not be stored.
                if failures.object.isDeleted && !failure.isAnswered { continue }
                others += 1
                if failure.number < first?.failure.number ?? .max { first = (failures.object, key, failure) }
                byObject[id]?.byKey[key]?.isTold = true
            }
        }
        guard let first else { return }
        throw FailedAccesses.error(first.object, first.key, first.failure.error, others)
    }

    private static func error(_ object: ManagedObject, _ key: String?, _ cause: any Error, _ others: Int) -> StoreError {
        let known = cause as? StoreError
        if let known, known.code == .wrongValue || known.code == .unknownEntity { return known }
        let more = others > 0 ? ", nor \(others) more" : ""
        return StoreError(
            known?.code ?? .io, .save,
            "\(key.map { "\($0) of " } ?? "")\(object.objectID) could not be read\(more): values computed from it are not saved; read it again",
            path: known?.path, entity: object.entity.name, key: key, underlying: cause, recovery: known?.recovery ?? .retryable)
    }
}
