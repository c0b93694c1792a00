/// Actions that are taken back together: one step, or a part of one.
final class UndoGroup {
    enum Entry {
        case action(UndoAction)
        case group(UndoGroup)
    }

    var name = ""
    var userInfo: [UndoManager.UserInfoKey: Any] = [:]
    private var isSaidToBeDiscardable = false
    private(set) var entries: [Entry] = []
    /// Whether the group began by itself, to end with the event.
    let isOfEvent: Bool
    /// Whether the event is over: the group ends with the last of those within it.
    var isDue = false

    init(isOfEvent: Bool = false) { self.isOfEvent = isOfEvent }

    var isEmpty: Bool { entries.isEmpty }

    func append(_ action: UndoAction) { entries.append(.action(action)) }

    /// Takes in a group that ended within this one.
    func append(_ group: UndoGroup) { if !group.isEmpty { entries.append(.group(group)) } }

    /// Whether the group is discardable as a whole: because it is said to be, or since all that it consists of is.
    var isDiscardable: Bool {
        get {
            isSaidToBeDiscardable
                || !isEmpty && entries.allSatisfy { if case .group(let group) = $0 { group.isDiscardable } else { false } }
        }
        set { isSaidToBeDiscardable = newValue }
    }

    /// Takes out the group that ended last, unless something was registered since.
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

    /// Forgets what was registered for a target.
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

/// What takes one change back.
struct UndoAction {
    let target: ObjectIdentifier
    let run: () throws -> Void

    /// - Parameter handler: Runs with the target, unless that is gone.
    init<Target: AnyObject>(_ target: Target, _ handler: @escaping (Target) throws -> Void) {
        self.target = ObjectIdentifier(target)
        run = { [weak target] in if let target { try handler(target) } }
    }
}
