/// The state of the save that a context runs, and what happened to changes instead of a save.
struct SaveState {
    /// Whether objects are being validated: a save validates their properties itself.
    var isValidating = false
    /// Whether `willSave()` is being called on objects.
    var isAnnouncing = false
    /// The objects that the save changes only because their one-to-one partners are changed.
    var joinedPartners: Set<ObjectIdentifier> = []
    /// The properties of stored objects that took the values of new objects with the same unique values: these are
    /// changes, also where the row has the same value.
    var unitedProperties: [ObjectIdentifier: PropertySet] = [:]

    /// The row versions that the context saved while it has children.
    var ownVersions = OwnVersions()
    /// How often all unsaved changes were discarded at once, by a rollback or a reset.
    var discards = 0

    /// Forgets what the conflict resolution of a save recorded.
    mutating func forgetResolution() { (joinedPartners, unitedProperties) = ([], [:]) }
}
