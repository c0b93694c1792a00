/// The stacks of an undo manager and its open groups, for ``UndoManager`` and the manager with Foundation's names.
///
/// A manager decides where groups begin and end, and sends notifications; the engine keeps the groups, runs them, and
/// asks contexts for their changes.
package final class UndoEngine {
    package enum Direction {
        case undoing, redoing
    }

    private struct Client {
        weak var context: ManagedObjectContext?
    }

    package private(set) var undoStack: [UndoGroup] = []
    package private(set) var redoStack: [UndoGroup] = []
    /// The open groups, each within the one before.
    package private(set) var open: [UndoGroup] = []
    /// Whether a group is being undone or redone; `nil` otherwise.
    package private(set) var direction: Direction?
    /// The number of groups that each stack keeps; the oldest are removed first; 0 for all.
    package var levels = 0 {
        didSet { trim() }
    }
    private var clients: [Client] = []
    private var disabled = 0

    package init() {}

    package func begin(_ group: UndoGroup) { open.append(group) }

    /// Ends the group that was begun last: it joins the enclosing one, or a stack; an empty one is removed.
    ///
    /// - Returns: The group; `nil` where none is open.
    @discardableResult
    package func end() -> UndoGroup? {
        guard let group = open.popLast() else { return nil }
        if let outer = open.last { outer.append(group) } else { push(group) }
        return group
    }

    private func push(_ group: UndoGroup) {
        if group.isEmpty { return }
        if direction == .undoing { redoStack.append(group) } else { undoStack.append(group) }
        trim()
    }

    private func trim() {
        guard levels > 0 else { return }
        undoStack.removeFirst(max(0, undoStack.count - levels))
        redoStack.removeFirst(max(0, redoStack.count - levels))
    }

    /// Registers an action in the innermost group, and clears the redo stack, unless a group is being undone or redone;
    /// returns whether a group is open.
    package func register(_ action: UndoAction) -> Bool {
        guard let group = open.last else { return false }
        if direction == nil { redoStack = [] }
        group.append(action)
        return true
    }

    package var isRegistrationEnabled: Bool { disabled == 0 }

    /// Disables registration, after collecting the changes until now.
    package func disableRegistration() {
        if disabled == 0 { collect() }
        disabled += 1
    }

    /// Reverts one call of ``disableRegistration()``; returns whether there was one.
    package func enableRegistration() -> Bool {
        if disabled == 0 { return false }
        // Neither are propagated deletes until now registered.
        if disabled == 1 { collect() }
        disabled -= 1
        return true
    }

    package func enableRegistrationAgain() { disabled = 0 }

    /// Removes the group to undo or redo next: the last of the stack, or, to undo, the last one within the open group.
    package func pop(_ direction: Direction) -> UndoGroup? {
        if direction == .redoing { return redoStack.popLast() }
        return open.isEmpty ? undoStack.popLast() : open[open.count - 1].popLastGroup()
    }

    /// Runs a group's actions, the last first; the actions that these register become the opposite group.
    ///
    /// - Parameters:
    ///   - enablesRegistration: Whether registration is enabled meanwhile.
    ///   - begin: Begins the opposite group.
    ///   - end: Ends the innermost group, after collecting changes of contexts.
    /// - Throws: What an action throws: the actions that were run until then are undone, and the group stays where it
    ///   was.
    package func run(
        _ group: UndoGroup, _ direction: Direction, enablesRegistration: Bool, begin: (UndoGroup) -> Void, end: () -> Void
    ) throws {
        let (outer, disabled) = (open, self.disabled)
        if enablesRegistration { self.disabled = 0 }
        self.direction = direction
        open = []
        let opposite = group.makeOpposite()
        begin(opposite)
        defer {
            self.direction = nil
            if enablesRegistration { self.disabled = disabled }
            open = outer
        }
        do {
            for action in group.actions.reversed() { try action.run() }
        } catch {
            collect()
            // An action that fails here is skipped.
            let done = opposite.actions
            open = [UndoGroup()]
            for action in done.reversed() { try? action.run() }
            collect()
            if direction == .undoing { undoStack.append(group) } else { redoStack.append(group) }
            throw error
        }
        while !open.isEmpty { end() }
    }

    /// Removes all steps, and empties open groups.
    package func removeAll() {
        for context in contexts {
            // Propagated deletes are discarded with the deletion.
            try? context.applyDeleteRules()
            context.forgetChanges()
        }
        (undoStack, redoStack) = ([], [])
        for group in open { group.removeAll() }
    }

    package func removeActions(of target: ObjectIdentifier) {
        for group in undoStack + redoStack + open { group.removeActions(of: target) }
        undoStack.removeAll(where: \.isEmpty)
        redoStack.removeAll(where: \.isEmpty)
    }

    var contexts: [ManagedObjectContext] { clients.compactMap(\.context) }

    package func add(_ context: ManagedObjectContext) { clients.append(Client(context: context)) }

    package func remove(_ context: ManagedObjectContext) { clients.removeAll { $0.context == nil || $0.context === context } }

    /// Makes the contexts register their changes.
    package func collect() {
        for client in clients {
            guard let context = client.context else { continue }
            // Propagated deletes belong to the group of the deletion; where that fails now, both belong to the next.
            if direction == nil { do { try context.applyDeleteRules() } catch { continue } }
            context.registerChanges()
        }
    }
}
