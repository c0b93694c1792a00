import StrataGraph
import StrataModel

extension UndoManager {
    final func register(_ action: UndoAction) {
        guard isUndoRegistrationEnabled else { return }
        beginEventGroup()
        if !engine.register(action) { misuse("must begin a group before registering undo") }
    }

    /// Registers the undo action of a context's changes, as a step of its own if no group is open.
    final func registerChanges(_ action: UndoAction) {
        guard isUndoRegistrationEnabled, engine.open.isEmpty, !groupsByEvent, engine.direction == nil else { return register(action) }
        begin(UndoGroup())
        register(action)
        endUndoGrouping()
    }

    // MARK: - Groups

    /// Begins the group of the event, if one is due and none is open.
    final func beginEventGroup() {
        guard groupsByEvent, engine.open.isEmpty, engine.direction == nil else { return }
        let group = UndoGroup(isOfEvent: true)
        begin(group)
        guard isOnMain else { return }
        let end: @Sendable () -> Void = { [weak self, id = ObjectIdentifier(group)] in self?.endEventGroup(id) }
        RunLoop.main.perform(inModes: runLoopModes, block: end)
        // The main queue may be served without a run loop.
        if endsOnMainQueue { DispatchQueue.main.async(execute: end) }
    }

    /// Whether the end of an event is observed on this thread.
    private var isOnMain: Bool { Thread.isMainThread || MainQueue.isCurrent }

    /// Whether events end with blocks of the main queue, which run in the usual modes.
    private var endsOnMainQueue: Bool { runLoopModes.contains(.default) || runLoopModes.contains(.common) }

    private func endEventGroup(_ id: ObjectIdentifier) {
        guard let group = engine.open.first, group.isOfEvent, ObjectIdentifier(group) == id, engine.direction == nil else { return }
        if engine.open.count == 1 { endUndoGrouping() } else { group.isDue = true }
    }

    /// Registers the changes of a finished run-loop turn, and ends the event that began with them.
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

    /// The step that ``undo()`` would undo.
    final var nextUndo: UndoGroup? { engine.open.contains { !$0.isEmpty } ? engine.open.first : engine.undoStack.last }

    // MARK: - Running

    /// Runs a step's actions, the last first, as the step of the other direction; returns false after a rollback.
    final func run(_ group: UndoGroup, _ direction: UndoEngine.Direction) -> Bool {
        do {
            try engine.run(group, direction, enablesRegistration: false, begin: begin, end: endUndoGrouping)
            return true
        } catch { return false }
    }

    // MARK: - Notifying

    /// Posts the checkpoint notification, at which observers register collected changes.
    final func checkpoint() {
        post(.NSUndoManagerCheckpoint)
        engine.collect()
    }

    final func post(_ name: NSNotification.Name, _ info: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: info)
    }

    /// Traps for wrong use of the manager, as the exception of Apple's systems does.
    final func misuse(_ message: String, line: UInt = #line) -> Never {
        programmerError("NSUndoManager is in invalid state, \(message)", line: line)
    }
}

/// Registers a context's changes with an undo manager of Foundation's type, among the application's own actions.
final class UndoBridge: UndoBackend {
    let undoManager: UndoManager
    private weak var context: NSManagedObjectContext?
    /// The target of the context's actions, also while the manager is deallocated.
    private let target: ObjectIdentifier

    init(_ undoManager: UndoManager, of context: NSManagedObjectContext) {
        self.undoManager = undoManager
        self.context = context
        target = ObjectIdentifier(context)
    }

    var isUndoRegistrationEnabled: Bool { undoManager.isUndoRegistrationEnabled }

    func registerUndo(withTarget graph: ManagedObjectContext, handler: @escaping (ManagedObjectContext) throws -> Void) {
        guard let context else { return }
        undoManager.registerChanges(UndoAction(context) { [weak graph] _ in if let graph { try handler(graph) } })
    }

    func add(_ graph: ManagedObjectContext) { undoManager.engine.add(graph) }

    func remove(_ graph: ManagedObjectContext) {
        undoManager.engine.remove(graph)
        forgetSteps(of: graph)
    }

    // An event of the manager may continue: it ends with its thread's, or with an undo.
    func endEvent(of graph: ManagedObjectContext) { graph.registerChanges() }

    func endTurn(of graph: ManagedObjectContext) { undoManager.endTurn { graph.registerChanges() } }

    func forgetSteps(of graph: ManagedObjectContext) {
        graph.forgetChanges()
        undoManager.engine.removeActions(of: target)
    }

    func undo() { undoManager.undo() }
    func redo() { undoManager.redo() }
}
