import StrataModel

/// The steps that a user can take back, and those taken back that can be done again.
///
/// A ``ManagedObjectContext`` with an undo manager registers its changes here by itself. An application may register what else belongs to a
/// step, share one manager among contexts of one thread, and give steps names.
///
/// ```swift
/// let undoManager = UndoManager()
/// context.undoManager = undoManager
/// undoManager.group("Adopt Rex") { ada.pets.insert(rex) }
/// try context.undo()
/// ```
/// A step is what lies within a group. Where ``groupsByEvent`` is true, what is registered outside of groups is a step, too, up to the end of
/// the event, which comes with a context's ``ManagedObjectContext/processPendingChanges()`` and ``ManagedObjectContext/save()``, with the end
/// of a block of ``BackgroundContext``, and with ``endEvent()``.
///
/// A manager belongs to the thread of its contexts. The names are those of Foundation's `UndoManager`, which Linux lacks.
public final class UndoManager {
    private let engine = UndoEngine()

    /// Creates a manager without steps.
    public init() {}

    // MARK: - Groups

    /// Whether what is registered outside of groups is one step with all else of the event; else each is a step of its own.
    ///
    /// True by default.
    public var groupsByEvent = true {
        didSet { if !groupsByEvent { endEvent() } }
    }

    /// The number of groups that are open, each within another.
    public var groupingLevel: Int { engine.open.count - (eventGroup == nil && engine.direction == nil ? 0 : 1) }

    /// The group of what was registered outside of groups since the event began.
    private var eventGroup: UndoGroup? { engine.open.first.flatMap { $0.isOfEvent ? $0 : nil } }

    /// Begins a group; within another one, it is part of that.
    public func beginUndoGrouping() {
        endEvent()
        engine.begin(UndoGroup())
    }

    /// Ends the group that was begun last; one in which nothing was registered is no step.
    ///
    /// - Precondition: A group is open.
    public func endUndoGrouping() {
        engine.collect()
        guard groupingLevel > 0, let group = engine.end() else { programmerError("no undo group is open") }
        if let outer = engine.open.last, outer.name.isEmpty { outer.name = group.name }
    }

    /// Runs `body` in a group, whose step has a name.
    ///
    /// - Throws: What `body` throws; what was changed until then is a step all the same.
    public func group<R>(_ name: String = "", _ body: () throws -> R) rethrows -> R {
        beginUndoGrouping()
        defer {
            if !name.isEmpty { setActionName(name) }
            endUndoGrouping()
        }
        return try body()
    }

    /// Ends the event: what was registered outside of groups since it began is a step.
    public func endEvent() {
        engine.collect()
        if eventGroup != nil { engine.end() }
    }

    // MARK: - Registering

    /// Registers what takes something back; what the handler registers while it runs does it again.
    ///
    /// Does nothing while registration is disabled. What could be done again is forgotten, but while something is taken back or done again.
    ///
    /// - Parameters:
    ///   - target: What the handler is given. It is not kept alive: where it is released, the handler does not run.
    ///   - handler: Runs when the step is taken back. Where it throws, the step is left as it was.
    public func registerUndo<T: AnyObject>(withTarget target: T, handler: @escaping (T) throws -> Void) {
        guard isUndoRegistrationEnabled else { return }
        let isStep = engine.open.isEmpty && engine.direction == nil
        if isStep { engine.begin(UndoGroup(isOfEvent: groupsByEvent)) }
        _ = engine.register(UndoAction(target, handler))
        if isStep && !groupsByEvent { engine.end() }
    }

    /// Whether what is registered, and what contexts change, is kept.
    public var isUndoRegistrationEnabled: Bool { engine.isRegistrationEnabled }

    /// Stops registration until ``enableUndoRegistration()`` is called as often.
    public func disableUndoRegistration() { engine.disableRegistration() }

    /// Takes one call of ``disableUndoRegistration()`` back.
    ///
    /// - Precondition: There is one.
    public func enableUndoRegistration() {
        if !engine.enableRegistration() { programmerError("undo registration is not disabled") }
    }

    // MARK: - Taking back, and doing again

    /// Whether there is something to be taken back.
    public var canUndo: Bool {
        engine.collect()
        return !engine.undoStack.isEmpty || engine.open.contains { !$0.isEmpty }
    }

    /// Whether there is something to be done again.
    public var canRedo: Bool {
        engine.collect()
        return !engine.redoStack.isEmpty
    }

    /// The number of steps that can be taken back.
    public var undoCount: Int {
        engine.collect()
        return engine.undoStack.count + (eventGroup?.isEmpty == false ? 1 : 0)
    }

    /// The number of steps that can be done again.
    public var redoCount: Int {
        engine.collect()
        return engine.redoStack.count
    }

    /// Whether a step is being taken back.
    public var isUndoing: Bool { engine.direction == .undoing }
    /// Whether a step is being done again.
    public var isRedoing: Bool { engine.direction == .redoing }

    /// Takes the last step back; does nothing where there is none.
    ///
    /// Ends the event first.
    ///
    /// - Throws: What a handler throws, such as a store that could not be read: all is as it was then.
    /// - Precondition: No group is open, and no handler runs.
    public func undo() throws {
        try checkedEndEvent()
        if let group = engine.popUndo() { try run(group, .undoing) }
    }

    /// Does again what was taken back last; does nothing where there is none.
    ///
    /// - Throws: As ``undo()``.
    /// - Precondition: As for ``undo()``.
    public func redo() throws {
        try checkedEndEvent()
        if let group = engine.popRedo() { try run(group, .redoing) }
    }

    private func checkedEndEvent() throws {
        if engine.direction != nil { programmerError("an undo handler is running") }
        if groupingLevel > 0 { programmerError("an undo group is open") }
        for context in engine.contexts { try context.followDeleteRules() }
        endEvent()
    }

    private func run(_ group: UndoGroup, _ direction: UndoEngine.Direction) throws {
        try engine.run(group, direction, enablesRegistration: true, begin: engine.begin) {
            engine.collect()
            engine.end()
        }
    }

    // MARK: - Names

    /// Names the step that is being registered; it is shown to users.
    public func setActionName(_ name: String) {
        engine.collect()
        (engine.open.last ?? engine.undoStack.last)?.name = name
    }

    /// The name of the step that ``undo()`` takes back; empty where it has none.
    public var undoActionName: String {
        engine.collect()
        return (eventGroup ?? engine.undoStack.last)?.name ?? ""
    }

    /// The name of the step that ``redo()`` does again; empty where it has none.
    public var redoActionName: String {
        engine.collect()
        return engine.redoStack.last?.name ?? ""
    }

    // MARK: - Limits

    /// How many steps are kept, the oldest go first; 0, the default, for all.
    public var levelsOfUndo: Int {
        get { engine.levels }
        set { engine.levels = newValue }
    }

    /// Forgets all steps.
    public func removeAllActions() { engine.removeAll() }

    /// Forgets what was registered for a target.
    public func removeAllActions(withTarget target: AnyObject) {
        (target as? ManagedObjectContext)?.forgetChanges()
        engine.removeActions(of: ObjectIdentifier(target))
    }

    // MARK: - Contexts

    package func add(_ context: ManagedObjectContext) { engine.add(context) }

    package func remove(_ context: ManagedObjectContext) {
        engine.remove(context)
        engine.removeActions(of: ObjectIdentifier(context))
    }
}
