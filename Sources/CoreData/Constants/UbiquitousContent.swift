// For source compatibility: Apple ended the document service of these options in iOS 10. Stores ignore them.

/// The option for the name of a store in the user's cloud storage.
@available(*, deprecated, message: "Stores are not kept in the cloud")
public let NSPersistentStoreUbiquitousContentNameKey = "NSPersistentStoreUbiquitousContentNameKey"
/// The option for the location of a store in the user's cloud storage.
@available(*, deprecated, message: "Stores are not kept in the cloud")
public let NSPersistentStoreUbiquitousContentURLKey = "NSPersistentStoreUbiquitousContentURLKey"
/// The option for the identifier of the cloud storage.
@available(*, deprecated, message: "Stores are not kept in the cloud")
public let NSPersistentStoreUbiquitousContainerIdentifierKey = "NSPersistentStoreUbiquitousContainerIdentifierKey"
/// The option for a token of the device.
@available(*, deprecated, message: "Stores are not kept in the cloud")
public let NSPersistentStoreUbiquitousPeerTokenOption = "NSPersistentStoreUbiquitousPeerTokenOption"
/// The option that removes the metadata of a store in the cloud storage.
@available(*, deprecated, message: "Stores are not kept in the cloud")
public let NSPersistentStoreRemoveUbiquitousMetadataOption = "NSPersistentStoreRemoveUbiquitousMetadataOption"
/// The option that makes a store anew from the cloud storage.
@available(*, deprecated, message: "Stores are not kept in the cloud")
public let NSPersistentStoreRebuildFromUbiquitousContentOption = "NSPersistentStoreRebuildFromUbiquitousContentOption"
/// The user-info key of the reason why a store changes.
@available(*, deprecated, message: "Stores are not kept in the cloud")
public let NSPersistentStoreUbiquitousTransitionTypeKey = "NSPersistentStoreUbiquitousTransitionTypeKey"

/// Why a store in the user's cloud storage changes.
@available(*, deprecated, message: "Stores are not kept in the cloud")
public enum NSPersistentStoreUbiquitousTransitionType: UInt, Hashable, Sendable {
    /// An account was added.
    case accountAdded = 1
    /// An account was removed.
    case accountRemoved = 2
    /// The content was removed.
    case contentRemoved = 3
    /// The first import is done.
    case initialImportCompleted = 4
}

extension NSNotification.Name {
    /// Named for sources that observe it; never posted.
    @available(*, deprecated, message: "Stores are not kept in the cloud")
    public static let NSPersistentStoreDidImportUbiquitousContentChanges =
        NSNotification.Name("com.apple.coredata.ubiquity.importer.didfinishimport")
}
