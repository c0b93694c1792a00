/// The state of a managed object.
@usableFromInline
struct ObjectFlags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16

    @usableFromInline
    init(rawValue: UInt16) { self.rawValue = rawValue }

    // MARK: - Sets
    //
    // The defaults of `OptionSet` are generic: an unoptimized program spends a twentieth of a save in them.

    @usableFromInline
    init(arrayLiteral flags: ObjectFlags...) {
        var bits: UInt16 = 0
        for flag in flags { bits |= flag.rawValue }
        rawValue = bits
    }

    @usableFromInline
    func contains(_ flags: ObjectFlags) -> Bool { rawValue & flags.rawValue == flags.rawValue }

    @usableFromInline
    func isDisjoint(with flags: ObjectFlags) -> Bool { rawValue & flags.rawValue == 0 }

    @usableFromInline
    func union(_ flags: ObjectFlags) -> ObjectFlags { ObjectFlags(rawValue: rawValue | flags.rawValue) }

    @usableFromInline
    func intersection(_ flags: ObjectFlags) -> ObjectFlags { ObjectFlags(rawValue: rawValue & flags.rawValue) }

    @usableFromInline
    func subtracting(_ flags: ObjectFlags) -> ObjectFlags { ObjectFlags(rawValue: rawValue & ~flags.rawValue) }

    // MARK: - The flags

    static let all = ObjectFlags(rawValue: .max).subtracting([.observed, .accessed, .owner, .recorded, .newcomer])

    /// Checked before a value is changed.
    @inlinable static var unread: UInt16 { 1 | 32 | 256 }
    /// Checked before a value is changed that may be observed.
    static var unreadOrAccessed: UInt16 { unread | 16384 }
    /// Checked before a to-one relationship is assigned.
    static var unrelatable: UInt16 { unreadOrAccessed | 8 }
    /// Checked of the destination, which may be a fault.
    static var unrelatableDestination: UInt16 { 8 | 32 | 256 | 16384 }
    /// Checked before a value is read.
    @inlinable static var unreadOrObserved: UInt16 { unread | 1024 }

    /// Reads of properties may be observed.
    static let observed = ObjectFlags(rawValue: 1024)
    /// A read of a property was observed.
    static let accessed = ObjectFlags(rawValue: 16384)
    static var observedAndAccessed: UInt16 { 1024 | 16384 }
    /// The identity map lists the object among those with to-many relationships that were read or changed.
    static let owner = ObjectFlags(rawValue: 32768)
    /// The next event includes the object.
    static let recorded = ObjectFlags(rawValue: 2048)
    /// The next event lists the object as inserted.
    static let newcomer = ObjectFlags(rawValue: 4096)

    static let events: ObjectFlags = [.recorded, .newcomer]

    /// Not accessed since it was fetched, or without data.
    static let fault = ObjectFlags(rawValue: 1)
    /// The row was deleted from the store; all values are nil.
    static let inaccessible = ObjectFlags(rawValue: 32)
    /// A query may hold the temporary ID.
    static let queried = ObjectFlags(rawValue: 128)
    /// A read or assignment failed, and is not settled.
    static let unreadable = ObjectFlags(rawValue: 256)

    /// The first member that was made with a row: it shows, when its fault fires, that such rows are used.
    static let watched = ObjectFlags(rawValue: 8192)
    /// Cleared when the fault fires.
    static let unfired = ObjectFlags(rawValue: 1 | 8192)

    static let loading: ObjectFlags = [.fault, .inaccessible, .queried, .unreadable, .watched]

    static let inserted = ObjectFlags(rawValue: 2)
    static let updated = ObjectFlags(rawValue: 4)
    static let deleted = ObjectFlags(rawValue: 8)
    /// In the tracker's list of changed objects.
    static let listed = ObjectFlags(rawValue: 16)
    /// The delete rules were applied.
    static let propagated = ObjectFlags(rawValue: 64)
    /// Is notified of its deletion.
    static let leaving = ObjectFlags(rawValue: 512)
}
