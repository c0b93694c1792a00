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
    /// One step: what is to be done to take it back, or to do it again, the last first.
    private struct Step {
        var name = ""
        var actions: [Action] = []
    }

    private struct Action {
        let target: ObjectIdentifier
        let run: () throws -> Void
    }

    private final class Client {
        weak var context: ManagedObjectContext?
        init(_ context: ManagedObjectContext) { self.context = context }
    }

    private enum Direction {
        case undoing, redoing
    }

    private var undone: [Step] = []
    private var done: [Step] = []
    /// The groups that are open, each within the one before.
    private var open: [Step] = []
    /// What was registered outside of groups since the event began.
    private var event = Step()
    private var direction: Direction?
    /// What brings back what is taken back just now.
    private var opposite = Step()
    private var clients: [Client] = []
    private var disabled = 0

    /// A manager without steps.
    public init() {}

    // MARK: - Groups

    /// Whether what is registered outside of groups is one step with all else of the event; else each is a step of its own.
    ///
    /// True by default.
    public var groupsByEvent = true {
        didSet { if !groupsByEvent { endEvent() } }
    }

    /// The number of groups that are open, each within another.
    public var groupingLevel: Int { open.count }

    /// Begins a group; within another one, it is part of that.
    public func beginUndoGrouping() {
        if open.isEmpty { endEvent() } else { collect() }
        open.append(Step())
    }

    /// Ends the group that was begun last; one in which nothing was registered is no step.
    ///
    /// - Precondition: A group is open.
    public func endUndoGrouping() {
        collect()
        guard let step = open.popLast() else { programmerError("no undo group is open") }
        if open.isEmpty { return push(step) }
        open[open.count - 1].actions += step.actions
        if open[open.count - 1].name.isEmpty { open[open.count - 1].name = step.name }
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
        collect()
        let step = event
        event = Step()
        push(step)
    }

    private func push(_ step: Step) {
        if step.actions.isEmpty { return }
        done.append(step)
        trim()
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
        let action = Action(target: ObjectIdentifier(target)) { [weak target] in if let target { try handler(target) } }
        if direction != nil { return opposite.actions.append(action) }
        undone = []
        if !open.isEmpty {
            open[open.count - 1].actions.append(action)
        } else if groupsByEvent {
            event.actions.append(action)
        } else {
            push(Step(actions: [action]))
        }
    }

    /// Whether what is registered, and what contexts change, is kept.
    public var isUndoRegistrationEnabled: Bool { disabled == 0 }

    /// Stops registration until ``enableUndoRegistration()`` is called as often.
    public func disableUndoRegistration() {
        // What was changed until now is kept.
        if disabled == 0 { collect() }
        disabled += 1
    }

    /// Takes one call of ``disableUndoRegistration()`` back.
    ///
    /// - Precondition: There is one.
    public func enableUndoRegistration() {
        if disabled == 0 { programmerError("undo registration is not disabled") }
        // What delete rules make of a deletion until now is no more kept than that.
        if disabled == 1 { collect() }
        disabled -= 1
    }

    // MARK: - Taking back, and doing again

    /// Whether there is something to be taken back.
    public var canUndo: Bool {
        collect()
        return !done.isEmpty || !event.actions.isEmpty || open.contains { !$0.actions.isEmpty }
    }

    /// Whether there is something to be done again.
    public var canRedo: Bool {
        collect()
        return !undone.isEmpty
    }

    /// The number of steps that can be taken back.
    public var undoCount: Int {
        collect()
        return done.count + (event.actions.isEmpty ? 0 : 1)
    }

    /// The number of steps that can be done again.
    public var redoCount: Int {
        collect()
        return undone.count
    }

    /// Whether a step is being taken back.
    public var isUndoing: Bool { direction == .undoing }
    /// Whether a step is being done again.
    public var isRedoing: Bool { direction == .redoing }

    /// Takes the last step back; does nothing where there is none.
    ///
    /// Ends the event first.
    ///
    /// - Throws: What a handler throws, such as a store that could not be read: all is as it was then.
    /// - Precondition: No group is open, and no handler runs.
    public func undo() throws {
        try checkedEndEvent()
        if let step = done.popLast() { try run(step, .undoing) }
    }

    /// Does again what was taken back last; does nothing where there is none.
    ///
    /// - Throws: As ``undo()``.
    /// - Precondition: As for ``undo()``.
    public func redo() throws {
        try checkedEndEvent()
        if let step = undone.popLast() { try run(step, .redoing) }
    }

    private func checkedEndEvent() throws {
        if !open.isEmpty { programmerError("an undo group is open") }
        if direction != nil { programmerError("an undo handler is running") }
        for context in contexts { try context.followDeleteRules() }
        endEvent()
    }

    private func run(_ step: Step, _ direction: Direction) throws {
        let disabled = self.disabled
        self.disabled = 0
        self.direction = direction
        defer {
            self.direction = nil
            self.disabled = disabled
        }
        do {
            for action in step.actions.reversed() { try action.run() }
            collect()
        } catch {
            collect()
            let begun = takeOpposite()
            // What was taken back of it so far.
            for action in begun.actions.reversed() { try? action.run() }
            collect()
            _ = takeOpposite()
            if direction == .undoing { done.append(step) } else { undone.append(step) }
            throw error
        }
        var opposite = takeOpposite()
        if opposite.actions.isEmpty { return }
        opposite.name = step.name
        if direction == .undoing { undone.append(opposite) } else { done.append(opposite) }
        trim()
    }

    private func takeOpposite() -> Step {
        defer { opposite = Step() }
        return opposite
    }

    // MARK: - Names

    /// Names the step that is being registered; it is shown to users.
    public func setActionName(_ name: String) {
        collect()
        if !open.isEmpty {
            open[open.count - 1].name = name
        } else if !event.actions.isEmpty {
            event.name = name
        } else if !done.isEmpty {
            done[done.count - 1].name = name
        }
    }

    /// The name of the step that ``undo()`` takes back; empty where it has none.
    public var undoActionName: String {
        collect()
        return event.actions.isEmpty ? done.last?.name ?? "" : event.name
    }

    /// The name of the step that ``redo()`` does again; empty where it has none.
    public var redoActionName: String {
        collect()
        return undone.last?.name ?? ""
    }

    // MARK: - Limits

    /// How many steps are kept, the oldest go first; 0, the default, for all.
    public var levelsOfUndo = 0 {
        didSet { trim() }
    }

    /// Forgets all steps.
    public func removeAllActions() {
        for context in contexts {
            // What delete rules make of a deletion is forgotten with it.
            try? context.followDeleteRules()
            context.forgetChanges()
        }
        (done, undone, event) = ([], [], Step())
        for place in open.indices { open[place].actions = [] }
    }

    /// Forgets what was registered for a target.
    public func removeAllActions(withTarget target: AnyObject) {
        (target as? ManagedObjectContext)?.forgetChanges()
        remove(ObjectIdentifier(target))
    }

    private func remove(_ target: ObjectIdentifier) {
        func without(_ step: Step) -> Step { Step(name: step.name, actions: step.actions.filter { $0.target != target }) }
        done = done.map(without).filter { !$0.actions.isEmpty }
        undone = undone.map(without).filter { !$0.actions.isEmpty }
        event = without(event)
        open = open.map(without)
        opposite = without(opposite)
    }

    private func trim() {
        guard levelsOfUndo > 0 else { return }
        done.removeFirst(max(0, done.count - levelsOfUndo))
        undone.removeFirst(max(0, undone.count - levelsOfUndo))
    }

    // MARK: - Contexts

    private var contexts: [ManagedObjectContext] { clients.compactMap(\.context) }

    package func add(_ context: ManagedObjectContext) { clients.append(Client(context)) }

    package func remove(_ context: ManagedObjectContext) {
        clients.removeAll { $0.context == nil || $0.context === context }
        remove(ObjectIdentifier(context))
    }

    /// Has the contexts register what they changed.
    private func collect() {
        for client in clients {
            guard let context = client.context else { continue }
            // What delete rules make of a deletion is of its step; where they cannot be followed now both are of the next one.
            if direction == nil { do { try context.followDeleteRules() } catch { continue } }
            context.registerChanges()
        }
    }
}
