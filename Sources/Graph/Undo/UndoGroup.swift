/// Actions that are undone together: one step of an undo manager, or a part of one.
package final class UndoGroup {
    private enum Entry {
        case action(UndoAction)
        case group(UndoGroup)
    }

    package var name = ""
    /// Values of the application that belong to the step.
    package var userInfo: [AnyHashable: Any] = [:]
    private var isMarkedDiscardable = false
    private var entries: [Entry] = []
    /// Whether the group began by itself, to end with the event.
    package let isOfEvent: Bool
    /// Whether the event is over: the group ends with the last of those within it.
    package var isDue = false

    package init(isOfEvent: Bool = false) { self.isOfEvent = isOfEvent }

    /// Returns an empty group for what undoes this one, or redoes it.
    func makeOpposite() -> UndoGroup {
        let opposite = UndoGroup()
        (opposite.name, opposite.userInfo, opposite.isMarkedDiscardable) = (name, userInfo, isDiscardable)
        return opposite
    }

    package var isEmpty: Bool { entries.isEmpty }

    func append(_ action: UndoAction) { entries.append(.action(action)) }

    /// Appends a group that ended within this one, unless it is empty.
    func append(_ group: UndoGroup) { if !group.isEmpty { entries.append(.group(group)) } }

    /// Whether the group is discardable as a whole: it was marked so, or all groups that it consists of are.
    package var isDiscardable: Bool {
        get {
            isMarkedDiscardable
                || !isEmpty && entries.allSatisfy { if case .group(let group) = $0 { group.isDiscardable } else { false } }
        }
        set { isMarkedDiscardable = newValue }
    }

    /// Removes the group that ended last, unless an action was registered since.
    func popLastGroup() -> UndoGroup? {
        guard case .group(let group) = entries.last else { return nil }
        entries.removeLast()
        return group
    }

    /// All actions, in the order in which they were registered.
    var actions: [UndoAction] {
        entries.flatMap { entry in
            switch entry {
            case .action(let action): [action]
            case .group(let group): group.actions
            }
        }
    }

    func removeAll() { entries = [] }

    /// Removes the actions that were registered for a target.
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

/// An action that undoes one change.
package struct UndoAction {
    let target: ObjectIdentifier
    let run: () throws -> Void

    /// - Parameter handler: Called with the target, unless the target is deallocated.
    package init<Target: AnyObject>(_ target: Target, _ handler: @escaping (Target) throws -> Void) {
        self.target = ObjectIdentifier(target)
        run = { [weak target] in if let target { try handler(target) } }
    }
}
