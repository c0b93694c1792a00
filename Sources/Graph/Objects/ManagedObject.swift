import Observation
public import StrataModel
import StrataQuery
import StrataStore
import Synchronization

/// An object of the graph: a record of a store, or one to be, with its relationships to others.
///
/// Subclass it and declare typed keys beside typed properties, or have `@Model` write all of that. A designated initialiser of a subclass calls
/// ``init(_:)`` with ``ObjectOrigin/new``; without `@Model` there is none:
///
/// ```swift
/// final class Person: ManagedObject {
///     static let name = Key<String>("name")
///     static let pets = ToMany<Pet>("pets")
///     var name: String? { get { self[Self.name] } set { self[Self.name] = newValue } }
///     var pets: Set<Pet> { get { self[Self.pets] } set { self[Self.pets] = newValue } }
/// }
/// ```
/// An object belongs to its context and the context's thread for life; the compiler keeps it there, for it is not `Sendable`. There is one
/// object per record in a context. Hand ``ManagedObjectMembers/objectID`` to other threads. Only the last reference to it may be given up on any.
///
/// An object that no context saves any more, because it was deleted and saved, rolled back, reset, or its row was deleted, has no values but those
/// that it is given from then on: it holds these itself, relationships included, and no other object is notified.
@safe open class ManagedObject {
    // Unmanaged, and safe: a context clears it in all its objects before it goes, and objects leave the context as they go. Atomic, for an
    // object may go on one thread and its context on another at the same time; they meet at the `IdentityLock`.
    @safe private final let contextReference: Atomic<Unmanaged<ManagedObjectContext>?>
    @safe @exclusivity(unchecked) @usableFromInline final var objectID: ObjectID
    // Exclusivity is not checked at run time for what every access reads: an object is on one thread, and no access spans another.
    /// The state as of the last save or fetch; `nil` for a fault without data, and for new objects.
    @safe @exclusivity(unchecked) @usableFromInline final var row: Row?
    /// Pending values and loaded relationships; `nil` while there are none.
    @safe @exclusivity(unchecked) @usableFromInline final private(set) var extra: ObjectExtra?
    @safe @exclusivity(unchecked) @usableFromInline final private(set) var flags: ObjectFlags = []
    /// The destinations that were read, in a context whose objects keep them.
    @safe @exclusivity(unchecked) final var kept: KeptDestinations?

    /// Made by contexts; make an object with ``FetchRequesting/init(context:)`` or ``init(entity:insertInto:)``.
    public required init(_ origin: ObjectOrigin) {
        contextReference = unsafe Atomic(origin.context.map { unsafe Unmanaged.passUnretained($0) })
        objectID = origin.id
        if let context = origin.context {
            if context.options.isObservable { flags = .observed }
        } else {
            settleWithoutContext()
        }
    }

    /// Makes a new object that a context's `insert(_:)` adds to it later.
    ///
    /// Until then it holds its values and relationships itself; the inverses are set when it is inserted.
    ///
    /// - Precondition: The class says its entity, as those of `@Model` do, see ``entityDeclaration``.
    public convenience init() { self.init(.new) }

    /// Makes a new object of an entity and inserts it into a context; without one, a context's `insert(_:)` adds it later.
    ///
    /// Until then it holds its values and relationships itself; the inverses are set when it is inserted, and with it what it references.
    ///
    /// - Throws: `StoreError` with `unknownEntity` when the entity is abstract, or of another model than the context's.
    public convenience init(entity: EntityDescription, insertInto context: ManagedObjectContext?) throws {
        guard let context else {
            guard !entity.isAbstract else {
                throw StoreError(.unknownEntity, .insert, "the entity is abstract", entity: entity.name)
            }
            self.init(.unattached(entity))
            beginWithoutContext()
            return
        }
        self.init(try context.originOfNewObject(of: entity))
        context.register(inserted: self)
    }

    /// Leaves the context, on whatever thread the object was released last.
    deinit {
        guard let context = unsafe reference else { return }
        var observers: ObservationRegistrar?
        unsafe IdentityLock.of(context).withLock {
            // The context may be gone by now; else it cannot go before the lock is free.
            guard unsafe reference != nil else { return }
            unsafe context._withUnsafeGuaranteedRef { context in
                context.identity.forgetGoing(self)
                if flags.contains(.observed) { observers = context.observation.observedObjects.forget(self) }
            }
        }
        withExtendedLifetime(observers) {}
    }

    // MARK: - The context

    @inline(__always)
    private final var reference: Unmanaged<ManagedObjectContext>? { unsafe contextReference.load(ordering: .relaxed) }

    @usableFromInline final var managedObjectContext: ManagedObjectContext? {
        get { unsafe reference?.takeUnretainedValue() }
        set { unsafe contextReference.store(newValue.map { unsafe Unmanaged.passUnretained($0) }, ordering: .relaxed) }
    }

    /// Whether the object is in a context; counts no reference to it.
    @inline(__always)
    final var hasContext: Bool { unsafe reference != nil }

    /// Calls `body`, which runs no code of an application, with the context, where there is one, without counting a reference to it.
    @inline(__always) @discardableResult
    final func withContext<Result>(_ body: (ManagedObjectContext) throws -> Result) rethrows -> Result? {
        guard let reference = unsafe reference else { return nil }
        return try unsafe reference._withUnsafeGuaranteedRef { try body($0) }
    }

    /// Returns whether the object is in one context; counts no reference to it.
    @inline(__always)
    final func isIn(_ context: ManagedObjectContext) -> Bool {
        unsafe reference?.toOpaque() == Unmanaged.passUnretained(context).toOpaque()
    }

    // MARK: - State

    @usableFromInline final var entity: EntityDescription { objectID.scope.entity }
    /// Whether the object was never saved: its row is one that the next save inserts, and the coordinator knows nothing of it.
    ///
    /// Its ID may be permanent all the same.
    final var isNew: Bool { flags.contains(.inserted) }
    final var isInserted: Bool { isNew && !isDeleted }
    final var isUpdated: Bool { flags.contains(.updated) && flags.isDisjoint(with: [.inserted, .deleted]) }
    final var isDeleted: Bool { flags.contains(.deleted) }
    /// Whether the object was deleted before it was ever saved, which no store hears of.
    final var isForgotten: Bool { flags.isSuperset(of: [.inserted, .deleted]) }
    final var hasChanges: Bool { !flags.isDisjoint(with: [.inserted, .updated, .deleted]) }
    /// Whether a save would change the object's row; it does not where only to-many relationships changed.
    final var changesRow: Bool {
        !flags.isDisjoint(with: [.inserted, .deleted]) || (flags.contains(.updated) && extra?.hasValues == true)
    }
    final var isFault: Bool { flags.contains(.fault) }

    /// Whether the object's row was looked for and is not there.
    ///
    /// One that could not be read stays a fault.
    final var isGone: Bool { flags.contains(.inaccessible) }

    /// Whether no context saves the object: its row is gone, or the context has forgotten it.
    ///
    /// It holds what it is given itself.
    final var isDetached: Bool { !hasContext || isGone }

    // MARK: - What the context's parts write

    /// Says what becomes of the object.
    @inline(__always)
    final func mark(_ marked: ObjectFlags = [], clearing cleared: ObjectFlags = [], _: ChangeTracker.MutationToken) {
        flags = flags.subtracting(cleared).union(marked)
    }

    /// Says what the next event tells of the object.
    final func markRecorded(_ marked: ObjectFlags) { flags = flags.subtracting(.events).union(marked.intersection(.events)) }

    /// Says whether anybody may observe which properties are read.
    final func markObserved(_ isObserved: Bool) { if isObserved { flags.insert(.observed) } else { flags.remove(.observed) } }

    /// Says what is known of the object's row; no other flag is touched.
    @inline(__always)
    final func markLoading(_ marked: ObjectFlags = [], clearing cleared: ObjectFlags = []) {
        flags = flags.subtracting(cleared.intersection(.loading)).union(marked.intersection(.loading))
    }

    /// What is held beside the row, made where there is nothing yet.
    final func makeExtra() -> ObjectExtra {
        if let extra { return extra }
        let extra = ObjectExtra()
        self.extra = extra
        return extra
    }

    final func setExtra(_ extra: ObjectExtra?, _: ChangeTracker.MutationToken) { self.extra = extra }

    // MARK: - Declaration

    /// The entity of the class's objects, as the class itself declares it; `nil` for a class whose entity a model declares.
    ///
    /// `@Model` writes it.
    open class var entityDeclaration: EntityDeclaration? { nil }

    /// Called once for each new object, before ``awakeFromInsert()``: sets the values that properties begin with and a model cannot say, such
    /// as the present time.
    ///
    /// `@Model` writes it.
    open func setInitialValues() {}

    // MARK: - Life cycle

    /// Called once, after a new object was inserted; an override sets values that the model cannot give as defaults.
    open func awakeFromInsert() {}
    /// Called each time after the object's values were read from a store; an override sets transient attributes that
    /// are computed from others.
    ///
    /// What attributes, and transient relationships, are set to in here is no change: the object and its context stay as clean as they
    /// were. A persistent attribute has the value, and it is saved with the next change of the object, but none by itself. A persistent
    /// relationship has two ends, and is changed as anywhere else.
    open func awakeFromFetch() {}
    /// Called after the object's values were replaced by an undo, a redo, a rollback or a refresh; an override sets
    /// transient attributes that are computed from others.
    ///
    /// What attributes are set to in here is no change, as in ``awakeFromFetch()``. An object that left with its insertion is empty.
    open func awake(fromSnapshotEvents events: SnapshotEvents) {}
    /// Called before the delete rules are followed.
    open func prepareForDeletion() {}
    /// Called before each save of the object; changes made here are saved too, and may call it again.
    open func willSave() {}
    /// Called after each save of the object, in the order of the first changes.
    ///
    /// That of its deletion finds ``ManagedObjectMembers/isDeleted`` true and the values as they were; the object leaves the context afterwards.
    open func didSave() {}
    /// Called before the object becomes a fault.
    open func willTurnIntoFault() {}
    /// Called after the object became a fault.
    open func didTurnIntoFault() {}

    // MARK: - Describing

    /// The entity, the ID, the state, and the values that are here; long ones are cut.
    ///
    /// It fires nothing: a fault says that it is one, a to-one relationship shows the ID of its destination, and a to-many one the number of its
    /// destinations where they are loaded.
    open var description: String { stateDescription }

    // MARK: - Validation

    /// Checks a new object.
    ///
    /// A save calls it for each new object, after it checked the properties itself. Asked for elsewhere, it checks the properties, too: all
    /// that the model's rules, and ``PropertyValidating``, find. An override calls that of its superclass, and throws what it finds beyond.
    ///
    /// - Throws: ``ValidationError`` with all failures; what an override finds wrong: the save fails with it. What a store throws while
    ///   relationships are loaded.
    open func validateForInsert() throws { try validateProperties() }
    /// Checks a changed object, as ``validateForInsert()``.
    ///
    /// A save checks what was changed. Asked for elsewhere, it checks all properties: also values that came to their store unchecked, by a batch request
    /// or under another model.
    ///
    /// - Throws: As ``validateForInsert()``.
    open func validateForUpdate() throws { try validateProperties() }
    /// Checks whether the object may be deleted.
    ///
    /// A save calls it for each object that it deletes, after it checked the delete rules itself. Asked for elsewhere, it checks whether a relationship
    /// whose rule is deny stands against it, as the stores are now.
    ///
    /// - Throws: As ``validateForInsert()``.
    open func validateForDelete() throws { try validateDeletion() }
}

/// A managed object that checks single values before they are saved, beyond the model's own rules.
public protocol PropertyValidating: ManagedObject {
    /// Checks one attribute's value; called for each that is new or changed.
    ///
    /// - Throws: What is wrong; a ``ValidationFailure`` joins those of other values as it is.
    func validate(_ value: Value, forKey key: String) throws
}

/// A ``PropertyValidating`` class that says whether its objects do check values, and whose objects check relationships as well.
package protocol SelectivelyValidating: PropertyValidating {
    /// Whether objects of the class check single values themselves.
    static var validatesProperties: Bool { get }

    /// Checks the destinations of one relationship; called for each that is new or changed, and here.
    func validateDestinations(forKey key: String) throws
}

extension ManagedObject: Hashable {
    @inlinable public static func == (lhs: ManagedObject, rhs: ManagedObject) -> Bool { lhs === rhs }
    @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
