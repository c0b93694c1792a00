/// The state of a running save, and of discarded changes.
struct SaveState {
    /// Whether objects are being validated: a save validates their properties itself.
    var isValidating = false
    /// Whether `willSave()` is being called on objects.
    var isAnnouncing = false
    /// The objects that the save changes only because their one-to-one partners change.
    var joinedPartners: Set<ObjectIdentifier> = []
    /// The properties of stored objects that took the values of new objects: changes, even if equal to the row's.
    var unitedProperties: [ObjectIdentifier: PropertySet] = [:]

    /// Whether an inserted object may lack a generated value, as no number could be reserved for it.
    var lacksGeneratedValues = false
    var ownVersions = OwnVersions()
    /// The number of rollbacks and resets.
    var discards = 0

    mutating func forgetResolution() { (joinedPartners, unitedProperties) = ([], [:]) }
}
