extension NSNotification.Name {
    /// Posted by a coordinator before its stores change.
    public static let NSPersistentStoreCoordinatorStoresWillChange =
        NSNotification.Name("NSPersistentStoreCoordinatorStoresWillChangeNotification")
    /// Posted by a coordinator after stores came or went, or had their identifiers changed.
    public static let NSPersistentStoreCoordinatorStoresDidChange =
        NSNotification.Name("NSPersistentStoreCoordinatorStoresDidChangeNotification")
    /// Posted by a coordinator before it removes a store, which is the notification's object.
    public static let NSPersistentStoreCoordinatorWillRemoveStore =
        NSNotification.Name("NSPersistentStoreCoordinatorWillRemoveStoreNotification")
    /// Posted by a coordinator after a store's content changed, by any process.
    public static let NSPersistentStoreRemoteChange = NSNotification.Name("NSPersistentStoreRemoteChangeNotification")
}

/// The user-info key of the stores that came.
public let NSAddedPersistentStoresKey = "added"
/// The user-info key of the stores that went.
public let NSRemovedPersistentStoresKey = "removed"
/// The user-info key of two stores, the old one and the one that it became, whose identifier is another.
public let NSUUIDChangedPersistentStoresKey = "NSUUIDChangedPersistentStoresKey"
/// The user-info key of the location of a store whose content changed.
public let NSPersistentStoreURLKey = "storeURL"
/// The user-info key of the token in a persistent history of a change.
public let NSPersistentHistoryTokenKey = "historyToken"
