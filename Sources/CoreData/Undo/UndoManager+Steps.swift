import Foundation
import StrataGraph
import StrataModel

extension UndoManager {
    final func register(_ action: UndoAction) {
        guard isUndoRegistrationEnabled else { return }
        beginEventGroup()
        guard let group = open.last else { misuse("must begin a group before registering undo") }
        if direction == nil { redoStack = [] }
        group.append(action)
    }

    /// Registers what takes a context's changes back: as a step of their own where groups have to be begun, and none is.
    final func registerChanges(_ action: UndoAction) {
        guard isUndoRegistrationEnabled, open.isEmpty, !groupsByEvent, direction == nil else { return register(action) }
        begin(UndoGroup())
        register(action)
        endUndoGrouping()
    }

    // MARK: - Groups

    /// Begins the group of the event, where one is due and none is open.
    final func beginEventGroup() {
        guard groupsByEvent, open.isEmpty, direction == nil else { return }
        let group = UndoGroup(isOfEvent: true)
        begin(group)
        guard isOnMain else { return }
        let end: @Sendable () -> Void = { [weak self, id = ObjectIdentifier(group)] in self?.endEventGroup(id) }
        RunLoop.main.perform(inModes: runLoopModes, block: end)
        // Where the main queue is served without a run loop.
        if endsOnMainQueue { DispatchQueue.main.async(execute: end) }
    }

    /// Whether somebody says here when an event is over.
    private var isOnMain: Bool { Thread.isMainThread || MainQueue.isCurrent }

    /// Whether events end with blocks of the main queue, which run in the usual modes.
    private var endsOnMainQueue: Bool { runLoopModes.contains(.default) || runLoopModes.contains(.common) }

    private func endEventGroup(_ id: ObjectIdentifier) {
        guard let group = open.first, group.isOfEvent, ObjectIdentifier(group) == id, direction == nil else { return }
        if open.count == 1 { endUndoGrouping() } else { group.isDue = true }
    }

    /// Registers what was changed in a turn that is over, and the event with it where that began with nothing else.
    final func endTurn(_ register: () -> Void) {
        let isBegun = !open.isEmpty
        register()
        guard !isBegun, isOnMain, endsOnMainQueue, let group = open.first else { return }
        endEventGroup(ObjectIdentifier(group))
    }

    final func begin(_ group: UndoGroup) {
        open.append(group)
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Keeps a step that ended.
    final func push(_ group: UndoGroup) {
        if group.isEmpty { return }
        if direction == .undoing { redoStack.append(group) } else { undoStack.append(group) }
        trim()
    }

    /// Forgets what was registered for a target.
    final func removeActions(of target: ObjectIdentifier) {
        for group in undoStack + redoStack + open { group.removeActions(of: target) }
        undoStack.removeAll(where: \.isEmpty)
        redoStack.removeAll(where: \.isEmpty)
    }

    final func trim() {
        guard levelsOfUndo > 0 else { return }
        undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
        redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    /// What ``undo()`` would take back.
    final var nextUndo: UndoGroup? { open.contains { !$0.isEmpty } ? open.first : undoStack.last }

    // MARK: - Running

    /// Runs a step's actions, the last first, and keeps what they register as the step of the other direction.
    ///
    /// - Returns: Whether all could be done; else all is as it was.
    final func run(_ group: UndoGroup, _ direction: Direction) -> Bool {
        let outer = open
        open = []
        self.direction = direction
        let opposite = UndoGroup()
        opposite.name = group.name
        opposite.userInfo = group.userInfo
        opposite.isDiscardable = group.isDiscardable
        begin(opposite)
        defer {
            self.direction = nil
            open = outer
        }
        do {
            for action in group.actions.reversed() { try action.run() }
        } catch {
            collect()
            // What was done of it is taken back; a second failure leaves what can be had.
            let done = opposite.actions
            open = [UndoGroup()]
            for action in done.reversed() { try? action.run() }
            collect()
            if direction == .undoing { undoStack.append(group) } else { redoStack.append(group) }
            return false
        }
        while !open.isEmpty { endUndoGrouping() }
        return true
    }

    // MARK: - Telling

    /// Has those who gather changes register them.
    final func checkpoint() {
        post(.NSUndoManagerCheckpoint)
        collect()
    }

    final func post(_ name: NSNotification.Name, _ info: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: info)
    }

    /// Stops a program that uses the manager wrongly, as the exception of Apple's systems does.
    final func misuse(_ message: String, line: UInt = #line) -> Never {
        programmerError("NSUndoManager is in invalid state, \(message)", line: line)
    }
}
