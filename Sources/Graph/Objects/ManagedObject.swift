import Observation
public import StrataModel
import StrataStore
import Synchronization

/// An object of the graph: a record of a store, or one to be, with its relationships to others.
///
/// Subclass it and declare typed keys beside typed properties, or have `@Model` write all of that. A designated
/// initialiser of a subclass calls ``init(_:)`` with ``ObjectOrigin/new``; without `@Model` there is none:
///
/// ```swift
/// final class Person: ManagedObject {
///     static let name = Key<String>("name")
///     static let pets = ToMany<Pet>("pets")
///     var name: String? { get { self[Self.name] } set { self[Self.name] = newValue } }
///     var pets: Set<Pet> { get { self[Self.pets] } set { self[Self.pets] = newValue } }
/// }
/// ```
/// An object belongs to its context and the context's thread for life; the compiler keeps it there, for it is not
/// `Sendable`. There is one object per record in a context. Hand ``ManagedObjectMembers/objectID`` to other threads.
/// Only the last reference to it may be given up on any.
///
/// An object that no context saves any more, because it was deleted and saved, rolled back, reset, or its row was
/// deleted, has no values but those that it is given from then on: it holds these itself, relationships included, and
/// no other object is notified.
@safe open class ManagedObject {
    // Unmanaged, and safe: a context clears it in all its objects before its end, and objects leave the context at
    // theirs. Atomic, for both may end at the same time on two threads; they synchronize at the `IdentityLock`.
    @safe private final let contextReference: Atomic<Unmanaged<ManagedObjectContext>?>
    @safe @exclusivity(unchecked) @usableFromInline final var objectID: ObjectID {
        didSet { if flags.contains(.owner) { withContext { $0.identity.list(renamedOwner: objectID) } } }
    }
    // Exclusivity is not checked at run time: an object is on one thread, and no access spans another.
    /// The state as of the last save or fetch; `nil` for a fault without data, and for new objects.
    @safe @exclusivity(unchecked) @usableFromInline final var row: Row?
    // Unmanaged, and retained by the object alone: each assignment of a value looks at it.
    @safe @exclusivity(unchecked) @usableFromInline final private(set) var extraReference: Unmanaged<ObjectExtra>?
    @safe @exclusivity(unchecked) @usableFromInline final private(set) var flags: ObjectFlags = []
    // Unmanaged, as most objects have none: there is nothing to release.
    @safe @exclusivity(unchecked) final var keptReference: Unmanaged<RetainedDestinations>?

    /// Made by contexts; make an object with ``FetchRequesting/init(context:)`` or ``init(entity:insertInto:)``.
    public required init(_ origin: ObjectOrigin) {
        contextReference = unsafe Atomic(origin.contextReference)
        objectID = origin.id
        if let context = origin.contextReference {
            if unsafe context._withUnsafeGuaranteedRef({ $0.options.isObservable }) { flags = .observed }
        } else {
            settleWithoutContext()
        }
    }

    /// Creates an object that a context's `insert(_:)` adds later.
    ///
    /// Until then it holds its values and relationships itself; insertion sets the inverses.
    ///
    /// - Precondition: The class declares its entity, as those of `@Model` do, see ``entityDeclaration``.
    public convenience init() { self.init(.new) }

    /// Creates an object of an entity in a context; without one, a context's `insert(_:)` adds it later.
    ///
    /// Until then it holds its values and relationships itself; insertion sets the inverses, and inserts its
    /// destinations.
    ///
    /// - Throws: `StoreError` with `unknownEntity` when the entity is abstract, or of another model than the context's.
    public convenience init(entity: EntityDescription, insertInto context: ManagedObjectContext?) throws {
        guard let context else {
            guard !entity.isAbstract else { throw StoreError(.unknownEntity, .insert, "the entity is abstract", entity: entity.name) }
            self.init(.unattached(entity))
            beginWithoutContext()
            return
        }
        self.init(try context.originOfNewObject(of: entity))
        context.register(inserted: self)
    }

    /// Leaves the context, on the thread of the last release.
    deinit {
        leaveContext()
        unsafe extraReference?.release()
        unsafe keptReference?.release()
    }

    private final func leaveContext() {
        guard let context = unsafe reference else { return }
        var observers: ObservationRegistrar?
        unsafe IdentityLock.of(context)._withUnsafeGuaranteedRef { lock in
            lock.withLock {
                // The context may be deallocated by now; else it cannot be before the lock is free.
                guard unsafe reference != nil else { return }
                unsafe context._withUnsafeGuaranteedRef { context in
                    context.identity.forgetGoing(self)
                    if flags.contains(.accessed) { observers = context.observation.observedObjects.forget(self) }
                }
            }
        }
        withExtendedLifetime(observers) {}
    }

    // MARK: - The context

    @inline(__always)
    private final var reference: Unmanaged<ManagedObjectContext>? { unsafe contextReference.load(ordering: .relaxed) }

    @usableFromInline final var managedObjectContext: ManagedObjectContext? {
        get { unsafe reference?.takeUnretainedValue() }
        set {
            unsafe contextReference.store(newValue.map { unsafe Unmanaged.passUnretained($0) }, ordering: .relaxed)
            if newValue != nil, flags.contains(.owner) { listAsOwner() }
        }
    }

    /// Whether the object is in a context; counts no reference to it.
    @inline(__always)
    final var hasContext: Bool { unsafe reference != nil }

    /// Calls `body`, which runs no application code, with the context, if any, without counting a reference to it.
    @inline(__always) @discardableResult
    final func withContext<Result>(_ body: (ManagedObjectContext) throws -> Result) rethrows -> Result? {
        guard let reference = unsafe reference else { return nil }
        return try unsafe reference._withUnsafeGuaranteedRef { try body($0) }
    }

    /// Returns whether the object is in a context, without counting a reference to it.
    @inline(__always)
    final func isIn(_ context: ManagedObjectContext) -> Bool {
        unsafe reference?.toOpaque() == Unmanaged.passUnretained(context).toOpaque()
    }

    // MARK: - State

    @usableFromInline final var entity: EntityDescription { objectID.scope.entity }
    final var entityIndex: EntityIndex { objectID.scope.entityIndex }
    /// Whether the object was never saved; its ID may be permanent all the same.
    final var isNew: Bool { flags.contains(.inserted) }
    final var isInserted: Bool { isNew && !isDeleted }
    final var isUpdated: Bool { flags.contains(.updated) && flags.isDisjoint(with: [.inserted, .deleted]) }
    final var isDeleted: Bool { flags.contains(.deleted) }
    /// Whether the object was deleted before it was ever saved.
    final var isForgotten: Bool { flags.contains([.inserted, .deleted]) }
    final var hasChanges: Bool { !flags.isDisjoint(with: [.inserted, .updated, .deleted]) }
    /// Whether a save would change the object's row; it does not where only to-many relationships changed.
    final var changesRow: Bool {
        !flags.isDisjoint(with: [.inserted, .deleted]) || (flags.contains(.updated) && withExtra(\.hasValues) == true)
    }
    final var isFault: Bool { flags.contains(.fault) }

    /// Whether the object's row is missing, other than unreadable.
    final var isInaccessible: Bool { flags.contains(.inaccessible) }

    /// Whether no context saves the object: its row is missing, or the context has forgotten it.
    final var isDetached: Bool { !hasContext || isInaccessible }

    // MARK: - State written by the context's parts

    @inline(__always)
    final func mark(_ marked: ObjectFlags = [], clearing cleared: ObjectFlags = [], _: ChangeTracker.MutationToken) {
        flags = flags.subtracting(cleared).union(marked)
    }

    /// Sets the flags of the next event.
    final func markRecorded(_ marked: ObjectFlags) { flags = flags.subtracting(.events).union(marked.intersection(.events)) }

    /// Sets whether reads of properties may be observed.
    final func markObserved(_ isObserved: Bool) { if isObserved { flags.insert(.observed) } else { flags.remove(.observed) } }

    /// Lists the object among those with to-many relationships that were read or changed.
    final func listAsOwner() {
        flags.insert(.owner)
        withContext { $0.identity.list(owner: objectID) }
    }

    /// Records that a read of a property was observed.
    final func markAccessed() { flags.insert(.accessed) }

    /// Sets and clears flags of the object's row; other flags are not touched.
    @inline(__always)
    final func markLoading(_ marked: ObjectFlags = [], clearing cleared: ObjectFlags = []) {
        flags = flags.subtracting(cleared.intersection(.loading)).union(marked.intersection(.loading))
    }

    /// Pending values and loaded relationships; `nil` while there are none.
    final private(set) var extra: ObjectExtra? {
        get { unsafe extraReference?.takeUnretainedValue() }
        set {
            let old = extraReference
            unsafe extraReference = newValue.map { unsafe Unmanaged.passRetained($0) }
            unsafe old?.release()
        }
    }

    /// Calls `body`, which runs no application code and sets no other ``extra``, with it, if any, without counting a
    /// reference.
    @inline(__always) @discardableResult
    final func withExtra<Result>(_ body: (ObjectExtra) throws -> Result) rethrows -> Result? {
        guard let reference = extraReference else { return nil }
        return try unsafe reference._withUnsafeGuaranteedRef { try body($0) }
    }

    final func makeExtra() -> ObjectExtra {
        if let extra { return extra }
        let extra = ObjectExtra()
        self.extra = extra
        return extra
    }

    /// Makes sure that there is ``extra``, without counting references to it.
    @inline(__always)
    final func beginExtra(_: ChangeTracker.MutationToken) {
        if unsafe extraReference == nil { unsafe extraReference = Unmanaged.passRetained(ObjectExtra()) }
    }

    final func setExtra(_ extra: ObjectExtra?, _: ChangeTracker.MutationToken) {
        self.extra = extra
        if extra?.hasToManyStates == true { listAsOwner() }
    }

    // MARK: - Declaration

    /// The entity that the class declares; `nil` for a class whose entity a model declares.
    ///
    /// `@Model` generates it.
    open class var entityDeclaration: EntityDeclaration? { nil }

    /// Called once for each new object, before ``awakeFromInsert()``: sets initial values that a model cannot declare,
    /// such as the present time.
    ///
    /// `@Model` generates it.
    open func setInitialValues() {}

    // MARK: - Life cycle

    /// Called once, after a new object was inserted; an override sets values that the model cannot give as defaults.
    open func awakeFromInsert() {}
    /// Called each time the object's values were read from a store; an override computes transient attributes.
    ///
    /// Setting attributes and transient relationships here is no change: the object and its context stay clean. The
    /// value of a persistent attribute is saved with the next change of the object. A persistent relationship has two
    /// ends, and is changed as anywhere else.
    open func awakeFromFetch() {}
    /// Called after an undo, a redo, a rollback or a refresh replaced values; an override computes transient
    /// attributes.
    ///
    /// Setting attributes here is no change, as in ``awakeFromFetch()``. An object whose insertion was undone is empty.
    open func awake(fromSnapshotEvents events: SnapshotEvents) {}
    /// Called before the delete rules are applied.
    open func prepareForDeletion() {}
    /// Called before each save of the object; changes made here are saved too, and may call it again.
    open func willSave() {}
    /// Called after each save of the object, in the order of the first changes.
    ///
    /// After a deletion ``ManagedObjectMembers/isDeleted`` is true, and the values are those before; the object leaves
    /// the context afterwards.
    open func didSave() {}
    /// Called before the object becomes a fault.
    open func willTurnIntoFault() {}
    /// Called after the object became a fault.
    open func didTurnIntoFault() {}

    // MARK: - Describing

    /// The entity, the ID, the state, and the loaded values; long ones are cut.
    ///
    /// It fires no fault: a to-one relationship shows the ID of its destination, and a to-many one the number of its
    /// loaded destinations.
    open var description: String { stateDescription }

    // MARK: - Validation

    /// Validates a new object.
    ///
    /// A save calls it for each new object, after it validated the properties itself. Called otherwise, it validates
    /// the properties, too, by the model's rules and ``PropertyValidating``. An override calls that of its superclass,
    /// and throws further failures.
    ///
    /// - Throws: ``ValidationError`` with all failures; an override's error, which fails the save. What a store throws
    ///   while relationships are loaded.
    open func validateForInsert() throws { try validateProperties() }
    /// Validates a changed object, as ``validateForInsert()``.
    ///
    /// A save validates the changes. Called otherwise, it validates all properties: also values that came to their
    /// store unchecked, by a batch request or under another model.
    ///
    /// - Throws: As ``validateForInsert()``.
    open func validateForUpdate() throws { try validateProperties() }
    /// Validates a deletion.
    ///
    /// A save calls it for each object that it deletes, after it checked the delete rules itself. Called otherwise, it
    /// checks the deny rules, against the current state of the stores.
    ///
    /// - Throws: As ``validateForInsert()``.
    open func validateForDelete() throws { try validateDeletion() }
}

extension ManagedObject: Hashable {
    @inlinable public static func == (lhs: ManagedObject, rhs: ManagedObject) -> Bool { lhs === rhs }
    @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
