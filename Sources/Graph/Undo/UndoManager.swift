import StrataModel

/// The steps that a user can take back, and those taken back that can be done again.
///
/// A ``ManagedObjectContext`` with an undo manager registers its changes here by itself. An application may register
/// what else belongs to a step, share one manager among contexts of one thread, and give steps names.
///
/// ```swift
/// let undoManager = UndoManager()
/// context.undoManager = undoManager
/// undoManager.group("Adopt Rex") { ada.pets.insert(rex) }
/// try context.undo()
/// ```
/// A step is what lies within a group. Where ``groupsByEvent`` is true, what is registered outside of groups is a step,
/// too, up to the end of the event, which comes with a context's ``ManagedObjectContext/processPendingChanges()`` and
/// ``ManagedObjectContext/save()``, with the end of a block of ``BackgroundContext``, and with ``endEvent()``.
///
/// A manager belongs to the thread of its contexts. The names are those of Foundation's `UndoManager`, which Linux
/// lacks.
public final class UndoManager {
    private let engine = UndoEngine()

    /// Creates a manager without steps.
    public init() {}

    /// Whether actions outside of groups form one group with all else of the event; else each is a group of its own.
    ///
    /// True by default.
    public var groupsByEvent = true {
        didSet { if !groupsByEvent { endEvent() } }
    }

    /// The number of open groups, each nested in another.
    public var groupingLevel: Int { engine.open.count - (eventGroup == nil && engine.direction == nil ? 0 : 1) }

    /// The automatic group of the current event.
    private var eventGroup: UndoGroup? { engine.open.first.flatMap { $0.isOfEvent ? $0 : nil } }

    /// Begins a group, possibly within another one.
    public func beginUndoGrouping() {
        endEvent()
        engine.begin(UndoGroup())
    }

    /// Ends the innermost group; an empty one is removed.
    ///
    /// - Precondition: A group is open.
    public func endUndoGrouping() {
        engine.collect()
        guard groupingLevel > 0, let group = engine.end() else { programmerError("no undo group is open") }
        if let outer = engine.open.last, outer.name.isEmpty { outer.name = group.name }
    }

    /// Runs `body` in a group with a name.
    ///
    /// - Throws: What `body` throws; the changes before that are a group all the same.
    public func group<R>(_ name: String = "", _ body: () throws -> R) rethrows -> R {
        beginUndoGrouping()
        defer {
            if !name.isEmpty { setActionName(name) }
            endUndoGrouping()
        }
        return try body()
    }

    /// Ends the event, and the group of actions outside of groups.
    public func endEvent() {
        engine.collect()
        if eventGroup != nil { engine.end() }
    }

    /// Registers an undo action; actions that the handler registers while it runs redo it.
    ///
    /// Does nothing while registration is disabled. Clears the redo stack, except during undo and redo.
    ///
    /// - Parameters:
    ///   - target: The target, which is not retained: when it is released, the handler does not run.
    ///   - handler: Undoes the change. Where it throws, the group is left as it was.
    public func registerUndo<T: AnyObject>(withTarget target: T, handler: @escaping (T) throws -> Void) {
        guard isUndoRegistrationEnabled else { return }
        let isStep = engine.open.isEmpty && engine.direction == nil
        if isStep { engine.begin(UndoGroup(isOfEvent: groupsByEvent)) }
        _ = engine.register(UndoAction(target, handler))
        if isStep && !groupsByEvent { engine.end() }
    }

    /// Whether actions, and changes of contexts, are registered.
    public var isUndoRegistrationEnabled: Bool { engine.isRegistrationEnabled }

    /// Disables registration until ``enableUndoRegistration()`` is called as often.
    public func disableUndoRegistration() { engine.disableRegistration() }

    /// Reverts one call of ``disableUndoRegistration()``.
    ///
    /// - Precondition: There is one.
    public func enableUndoRegistration() { if !engine.enableRegistration() { programmerError("undo registration is not disabled") } }

    /// Whether there is a group to undo.
    public var canUndo: Bool { !collected.undoStack.isEmpty || engine.open.contains { !$0.isEmpty } }

    /// Whether there is a group to redo.
    public var canRedo: Bool { !collected.redoStack.isEmpty }

    /// The number of groups to undo.
    public var undoCount: Int { collected.undoStack.count + (eventGroup?.isEmpty == false ? 1 : 0) }

    /// The number of groups to redo.
    public var redoCount: Int { collected.redoStack.count }

    /// The engine, with all changes until now.
    private var collected: UndoEngine {
        engine.collect()
        return engine
    }

    /// Whether a group is being undone.
    public var isUndoing: Bool { engine.direction == .undoing }
    /// Whether a group is being redone.
    public var isRedoing: Bool { engine.direction == .redoing }

    /// Undoes the last group, after ending the event; does nothing without one.
    ///
    /// - Throws: What a handler throws, such as a store that could not be read: all is as it was then.
    /// - Precondition: No group is open, and no handler runs.
    public func undo() throws { try run(.undoing) }

    /// Redoes the last undone group; does nothing without one.
    ///
    /// - Throws: As ``undo()``.
    /// - Precondition: As for ``undo()``.
    public func redo() throws { try run(.redoing) }

    private func run(_ direction: UndoEngine.Direction) throws {
        if engine.direction != nil { programmerError("an undo handler is running") }
        if groupingLevel > 0 { programmerError("an undo group is open") }
        for context in engine.contexts { try context.applyDeleteRules() }
        endEvent()
        guard let group = engine.pop(direction) else { return }
        try engine.run(group, direction, enablesRegistration: true, begin: engine.begin) {
            engine.collect()
            engine.end()
        }
    }

    /// Names the group that is being registered, for users.
    public func setActionName(_ name: String) {
        engine.collect()
        (engine.open.last ?? engine.undoStack.last)?.name = name
    }

    /// The name of the group that ``undo()`` undoes; empty without one.
    public var undoActionName: String {
        engine.collect()
        return (eventGroup ?? engine.undoStack.last)?.name ?? ""
    }

    /// The name of the group that ``redo()`` redoes; empty without one.
    public var redoActionName: String { collected.redoStack.last?.name ?? "" }

    /// The number of groups that are kept; the oldest are removed first; 0, the default, for all.
    public var levelsOfUndo: Int {
        get { engine.levels }
        set { engine.levels = newValue }
    }

    /// Discards all groups.
    public func removeAllActions() { engine.removeAll() }

    /// Discards the actions of a target.
    public func removeAllActions(withTarget target: AnyObject) {
        (target as? ManagedObjectContext)?.forgetChanges()
        engine.removeActions(of: ObjectIdentifier(target))
    }

    package func add(_ context: ManagedObjectContext) { engine.add(context) }

    package func remove(_ context: ManagedObjectContext) {
        engine.remove(context)
        engine.removeActions(of: ObjectIdentifier(context))
    }
}
