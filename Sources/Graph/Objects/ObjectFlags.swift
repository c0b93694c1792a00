/// What a managed object is just now.
@usableFromInline
struct ObjectFlags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16

    @usableFromInline
    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Those of the object's state.
    static let all = ObjectFlags(rawValue: .max).subtracting([.observed, .recorded, .newcomer])

    /// What has to be looked at before a value is changed.
    @inlinable static var unread: UInt16 { 1 | 32 | 256 }
    /// What has to be looked at before a value is read.
    @inlinable static var unreadOrObserved: UInt16 { unread | 1024 }

    /// Somebody may observe which properties are read.
    static let observed = ObjectFlags(rawValue: 1024)
    /// Something of the object is among what the next event tells.
    static let recorded = ObjectFlags(rawValue: 2048)
    /// What the next event tells of the object is that it is new.
    static let newcomer = ObjectFlags(rawValue: 4096)

    /// Those of what the next event tells.
    static let events: ObjectFlags = [.recorded, .newcomer]

    // MARK: - What is known of the row

    /// Not touched since it was fetched, or without data.
    static let fault = ObjectFlags(rawValue: 1)
    /// The row was deleted from the store; all values are nil.
    static let inaccessible = ObjectFlags(rawValue: 32)
    /// A query may hold the temporary ID.
    static let queried = ObjectFlags(rawValue: 128)
    /// Something of the object could not be read, or not be assigned, and that is not made up for.
    static let unreadable = ObjectFlags(rawValue: 256)

    /// Those that are no changes.
    static let loading: ObjectFlags = [.fault, .inaccessible, .queried, .unreadable]

    // MARK: - What becomes of it, which the change tracker says

    static let inserted = ObjectFlags(rawValue: 2)
    static let updated = ObjectFlags(rawValue: 4)
    static let deleted = ObjectFlags(rawValue: 8)
    /// In the tracker's list of changed objects.
    static let listed = ObjectFlags(rawValue: 16)
    /// The delete rules were followed.
    static let propagated = ObjectFlags(rawValue: 64)
    /// Hears that it is about to be deleted.
    static let leaving = ObjectFlags(rawValue: 512)
}
