import StrataGraph
import StrataModel

/// Records actions that undo changes and redo them: Foundation's class, which Linux lacks.
///
/// ```swift
/// func rename(_ name: String) {
///     undoManager.registerUndo(withTarget: self) { [old = self.name] in $0.rename(old) }
///     undoManager.setActionName("Rename")
///     self.name = name
/// }
/// ```
/// A step is the actions of a group. A group begins by itself with an action outside of groups, and ends with the
/// event: with the next pass of the main run loop or of the main queue where it was registered on the main thread, and
/// with ``undo()``. A context with this `undoManager` registers its changes at each `NSUndoManagerCheckpoint`, and
/// after each event, which ends with them on the main thread.
///
/// Selectors and invocations, which Linux lacks, cannot be registered; a group without actions is no step.
// Unchecked: the program uses a manager on one thread or its context's queue, as on Apple's systems.
open class UndoManager: NSObject, @unchecked Sendable {
    final let engine = UndoEngine()

    // MARK: - Groups

    /// Whether a group begins by itself for actions outside of groups, and ends with the event; true by default.
    ///
    /// Else a group has to be opened before anything is registered.
    open var groupsByEvent = true

    /// The modes of the main run loop in which the event's group ends; `[.default]` by default.
    open var runLoopModes: [RunLoop.Mode] = [.default]

    /// The number of open groups, each within another.
    open var groupingLevel: Int { engine.open.count }

    /// Begins a group; within another one it is a part of that.
    ///
    /// Where ``groupsByEvent`` is true, that of the event begins first.
    open func beginUndoGrouping() {
        beginEventGroup()
        if !engine.open.isEmpty && engine.direction == nil { checkpoint() }
        begin(UndoGroup())
    }

    /// Ends the group that was begun last.
    ///
    /// - Precondition: A group is open.
    open func endUndoGrouping() {
        if engine.open.isEmpty { misuse("endUndoGrouping called with no matching begin") }
        checkpoint()
        post(.NSUndoManagerWillCloseUndoGroup)
        let isDiscardable = engine.end()?.isDiscardable == true
        post(.NSUndoManagerDidCloseUndoGroup, isDiscardable ? [NSUndoManagerGroupIsDiscardableKey: true] : nil)
        if engine.open.count == 1 && engine.open[0].isDue { endUndoGrouping() }
    }

    // MARK: - Registering

    /// Registers an action that undoes a change; actions that the handler registers while it runs redo it.
    ///
    /// Does nothing while registration is disabled. Clears the redo stack, except during undo and redo.
    ///
    /// - Parameters:
    ///   - target: The argument of the handler. It is not retained: once it is deallocated, the handler does not run.
    ///   - handler: Runs when the step is undone.
    /// - Precondition: A group is open, or ``groupsByEvent`` is true.
    open func registerUndo<TargetType: AnyObject>(withTarget target: TargetType, handler: @escaping (TargetType) -> Void) {
        register(UndoAction(target, handler))
    }

    /// Whether actions are registered.
    open var isUndoRegistrationEnabled: Bool { engine.isRegistrationEnabled }

    /// Stops registration until ``enableUndoRegistration()`` was called as often.
    open func disableUndoRegistration() { engine.disableRegistration() }

    /// Takes one call of ``disableUndoRegistration()`` back.
    ///
    /// - Precondition: There is one.
    open func enableUndoRegistration() {
        if !engine.enableRegistration() { misuse("enableUndoRegistration invoked with no matching call to disableUndoRegistration") }
    }

    // MARK: - Taking back, and doing again

    /// Whether there is a step to undo.
    open var canUndo: Bool {
        engine.collect()
        return !engine.undoStack.isEmpty || engine.open.contains { !$0.isEmpty }
    }

    /// Whether there is a step to redo; posts `NSUndoManagerCheckpoint`.
    open var canRedo: Bool {
        checkpoint()
        return !engine.redoStack.isEmpty
    }

    /// The number of steps that can be undone.
    open var undoCount: Int { engine.undoStack.count }

    /// The number of steps that can be redone.
    open var redoCount: Int { engine.redoStack.count }

    /// Whether a step is being undone.
    open var isUndoing: Bool { engine.direction == .undoing }

    /// Whether a step is being redone.
    open var isRedoing: Bool { engine.direction == .redoing }

    /// Ends the open group, and undoes the last step.
    ///
    /// If a context's changes cannot be undone, since a store cannot be read, nothing changes.
    ///
    /// - Precondition: No group is nested in another, and no handler runs.
    open func undo() {
        if engine.direction != nil { misuse("undo was called while a handler was running") }
        checkpoint()
        if engine.open.count == 1 { endUndoGrouping() }
        if !engine.open.isEmpty { misuse("undo was called with too many nested undo groups") }
        undoNestedGroup()
    }

    /// Takes back the group that ended last, which may be one within a group that is open.
    ///
    /// - Precondition: Nothing was registered in the open group since that one ended, and no handler runs.
    open func undoNestedGroup() {
        if engine.direction != nil { misuse("undoNestedGroup was called while a handler was running") }
        checkpoint()
        guard let group = engine.pop(.undoing) else {
            if engine.open.last?.isEmpty == false { misuse("undoNestedGroup called with actions in the open group") }
            return
        }
        post(.NSUndoManagerWillUndoChange)
        if run(group, .undoing) { post(.NSUndoManagerDidUndoChange) }
    }

    /// Redoes the last undone step.
    ///
    /// - Precondition: No handler runs.
    open func redo() {
        if engine.direction != nil { misuse("redo was called while a handler was running") }
        checkpoint()
        if engine.open.count == 1 { endUndoGrouping() }
        guard let group = engine.pop(.redoing) else { return }
        post(.NSUndoManagerWillRedoChange)
        if run(group, .redoing) { post(.NSUndoManagerDidRedoChange) }
    }

    // MARK: - Names

    /// The name of the step that ``undo()`` undoes; empty if it has none.
    open var undoActionName: String { nextUndo?.name ?? "" }

    /// The name of the step that ``redo()`` does again; empty where it has none.
    open var redoActionName: String { engine.redoStack.last?.name ?? "" }

    /// Names the step that is being registered, or the last one; an empty name removes it.
    ///
    /// If ``groupsByEvent`` is true, that is the event's, named before or after its registrations.
    open func setActionName(_ actionName: String) {
        collectIntoEvent()
        if engine.open.isEmpty { engine.undoStack.last?.name = actionName }
        for group in engine.open { group.name = actionName }
    }

    /// The title of a menu's item for ``undo()``: “Undo”, with the name of the step.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// The title of a menu's item for ``redo()``: “Redo”, with the name of the step.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// Returns the title of a menu's item for taking back a step with a name.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String { actionName.isEmpty ? "Undo" : "Undo \(actionName)" }

    /// Returns the title of a menu's item for doing a step with a name again.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String { actionName.isEmpty ? "Redo" : "Redo \(actionName)" }

    // MARK: - What is kept with steps

    /// A key of a step's user info.
    public struct UserInfoKey: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// Creates a key with a name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Stores user info with the step that is being registered, or the last one, also across undo and redo.
    open func setActionUserInfoValue(_ info: Any?, forKey key: UserInfoKey) {
        collectIntoEvent()
        (engine.open.first ?? engine.undoStack.last)?.userInfo[key] = info
    }

    /// Returns the user info of the step that ``undo()`` undoes.
    open func undoActionUserInfoValue(forKey key: UserInfoKey) -> Any? { nextUndo?.userInfo[key] }

    /// Returns the user info of the step that ``redo()`` redoes.
    open func redoActionUserInfoValue(forKey key: UserInfoKey) -> Any? { engine.redoStack.last?.userInfo[key] }

    // MARK: - Discardable steps

    /// Whether the step that ``undo()`` undoes is discardable: a document need not be saved for its sake.
    open var undoActionIsDiscardable: Bool { nextUndo?.isDiscardable ?? false }

    /// Whether the step that ``redo()`` does again is discardable.
    open var redoActionIsDiscardable: Bool { engine.redoStack.last?.isDiscardable ?? false }

    /// Sets whether the step that is being registered, or the last one, is discardable.
    open func setActionIsDiscardable(_ discardable: Bool) {
        collectIntoEvent()
        (engine.open.last ?? engine.undoStack.last)?.isDiscardable = discardable
    }

    // MARK: - Limits

    /// The maximum number of steps, of which the oldest are removed; 0, the default, for no limit.
    open var levelsOfUndo: Int {
        get { engine.levels }
        set { engine.levels = newValue }
    }

    /// Forgets all steps, and enables registration.
    open func removeAllActions() {
        engine.removeAll()
        engine.enableRegistrationAgain()
    }

    /// Removes the actions of a target.
    open func removeAllActions(withTarget target: Any) {
        if engine.direction == nil { engine.collect() }
        engine.removeActions(of: ObjectIdentifier(target as AnyObject))
    }

    /// Adds pending changes to the step whose name or user info is set.
    private func collectIntoEvent() {
        engine.collect()
        beginEventGroup()
    }
}
