import Foundation
import StrataGraph
import StrataModel

extension UndoManager {
    final func register(_ action: UndoAction) {
        guard isUndoRegistrationEnabled else { return }
        beginEventGroup()
        if !engine.register(action) { misuse("must begin a group before registering undo") }
    }

    /// Registers what takes a context's changes back: as a step of their own where groups have to be begun, and none is.
    final func registerChanges(_ action: UndoAction) {
        guard isUndoRegistrationEnabled, engine.open.isEmpty, !groupsByEvent, engine.direction == nil else { return register(action) }
        begin(UndoGroup())
        register(action)
        endUndoGrouping()
    }

    // MARK: - Groups

    /// Begins the group of the event, where one is due and none is open.
    final func beginEventGroup() {
        guard groupsByEvent, engine.open.isEmpty, engine.direction == nil else { return }
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
        guard let group = engine.open.first, group.isOfEvent, ObjectIdentifier(group) == id, engine.direction == nil else { return }
        if engine.open.count == 1 { endUndoGrouping() } else { group.isDue = true }
    }

    /// Registers what was changed in a turn that is over, and the event with it where that began with nothing else.
    final func endTurn(_ register: () -> Void) {
        let isBegun = !engine.open.isEmpty
        register()
        guard !isBegun, isOnMain, endsOnMainQueue, let group = engine.open.first else { return }
        endEventGroup(ObjectIdentifier(group))
    }

    final func begin(_ group: UndoGroup) {
        engine.begin(group)
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// What ``undo()`` would take back.
    final var nextUndo: UndoGroup? { engine.open.contains { !$0.isEmpty } ? engine.open.first : engine.undoStack.last }

    // MARK: - Running

    /// Runs a step's actions, the last first, and keeps what they register as the step of the other direction.
    ///
    /// - Returns: Whether all could be done; else all is as it was.
    final func run(_ group: UndoGroup, _ direction: UndoEngine.Direction) -> Bool {
        do {
            try engine.run(group, direction, enablesRegistration: false, begin: begin, end: endUndoGrouping)
            return true
        } catch { return false }
    }

    // MARK: - Telling

    /// Has those who gather changes register them.
    final func checkpoint() {
        post(.NSUndoManagerCheckpoint)
        engine.collect()
    }

    final func post(_ name: NSNotification.Name, _ info: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: info)
    }

    /// Stops a program that uses the manager wrongly, as the exception of Apple's systems does.
    final func misuse(_ message: String, line: UInt = #line) -> Never {
        programmerError("NSUndoManager is in invalid state, \(message)", line: line)
    }
}
