/// Actions that are undone together, possibly with nested groups.
package final class UndoGroup {
    private enum Entry {
        case action(UndoAction)
        case group(UndoGroup)
    }

    package var name = ""
    /// Values of the application that belong to the group.
    package var userInfo: [AnyHashable: Any] = [:]
    private var isMarkedDiscardable = false
    private var entries: [Entry] = []
    /// Whether the group began automatically, and ends with the event.
    package let isOfEvent: Bool
    /// Whether the event has ended: the group ends with its last nested one.
    package var isDue = false

    package init(isOfEvent: Bool = false) { self.isOfEvent = isOfEvent }

    func makeOpposite() -> UndoGroup {
        let opposite = UndoGroup()
        (opposite.name, opposite.userInfo, opposite.isMarkedDiscardable) = (name, userInfo, isDiscardable)
        return opposite
    }

    package var isEmpty: Bool { entries.isEmpty }

    func append(_ action: UndoAction) { entries.append(.action(action)) }

    /// Appends a nested group that ended, unless it is empty.
    func append(_ group: UndoGroup) { if !group.isEmpty { entries.append(.group(group)) } }

    /// Whether the group, or all groups that it consists of, were marked as discardable.
    package var isDiscardable: Bool {
        get {
            isMarkedDiscardable
                || !isEmpty && entries.allSatisfy { if case .group(let group) = $0 { group.isDiscardable } else { false } }
        }
        set { isMarkedDiscardable = newValue }
    }

    /// Removes the nested group that ended last, unless an action was registered since.
    func popLastGroup() -> UndoGroup? {
        guard case .group(let group) = entries.last else { return nil }
        entries.removeLast()
        return group
    }

    var actions: [UndoAction] {
        entries.flatMap { entry in
            switch entry {
            case .action(let action): [action]
            case .group(let group): group.actions
            }
        }
    }

    func removeAll() { entries = [] }

    func removeActions(of target: ObjectIdentifier) {
        entries.removeAll { entry in
            switch entry {
            case .action(let action): return action.target == target
            case .group(let group):
                group.removeActions(of: target)
                return group.isEmpty
            }
        }
    }
}

package struct UndoAction {
    let target: ObjectIdentifier
    let run: () throws -> Void

    /// - Parameter handler: Called with the target, unless the target is deallocated.
    package init<Target: AnyObject>(_ target: Target, _ handler: @escaping (Target) throws -> Void) {
        self.target = ObjectIdentifier(target)
        run = { [weak target] in if let target { try handler(target) } }
    }
}
