import CoreData
import Testing

struct ConstantTests {
    @Test("Names that others write and read are Apple's") func names() {
        #expect(NSSQLiteStoreType == "SQLite")
        #expect(NSPersistentStore.StoreType.xml.rawValue == NSXMLStoreType)
        #expect(NSStoreModelVersionHashesKey == "NSStoreModelVersionHashes")
        #expect(NSPersistentStoreModelVersionChecksumKey == "NSStoreModelVersionChecksumKey")
        #expect(NSPersistentStoreConnectionPoolMaxSizeKey == "NSPersistentStoreConnectionPoolMaxSize")
        #expect(NSPersistentStoreRemoteChangeNotificationPostOptionKey == "NSPersistentStoreRemoteChangeNotificationOptionKey")
        #expect(NSPersistentHistoryTokenKey == "historyToken")
        #expect(NSPersistentStoreSaveConflictsErrorKey == "conflictList")
    }

    @Test("The two spellings of a notification and of its keys are one") func notifications() {
        #expect(NSManagedObjectContext.didSaveObjectsNotification == .NSManagedObjectContextDidSave)
        #expect(NSManagedObjectContext.didChangeObjectsNotification == .NSManagedObjectContextObjectsDidChange)
        #expect(Notification.Name.NSManagedObjectContextDidSave.rawValue == "NSManagingContextDidSaveChangesNotification")
        let keys: [(NSManagedObjectContext.NotificationKey, String)] = [
            (.insertedObjects, NSInsertedObjectsKey), (.updatedObjects, NSUpdatedObjectsKey), (.deletedObjects, NSDeletedObjectsKey),
            (.refreshedObjects, NSRefreshedObjectsKey), (.invalidatedObjects, NSInvalidatedObjectsKey),
            (.invalidatedAllObjects, NSInvalidatedAllObjectsKey), (.queryGeneration, NSManagedObjectContextQueryGenerationKey),
            (.insertedObjectIDs, NSInsertedObjectIDsKey), (.updatedObjectIDs, NSUpdatedObjectIDsKey),
            (.deletedObjectIDs, NSDeletedObjectIDsKey), (.refreshedObjectIDs, NSRefreshedObjectIDsKey),
            (.invalidatedObjectIDs, NSInvalidatedObjectIDsKey),
        ]
        for (key, name) in keys { #expect(key.rawValue == name) }
    }

    @Test("Numbers that files and other processes know are Apple's") func numbers() {
        #expect(NSManagedObjectContextConcurrencyType.mainQueueConcurrencyType.rawValue == 2)
        #expect(NSFetchRequestResultType.countResultType.rawValue == 4)
        #expect(NSPersistentStoreRequestType.batchDeleteRequestType.rawValue == 7)
        #expect(NSPersistentHistoryResultType.transactionsAndChanges.rawValue == 5)
        #expect(NSSnapshotEventType.mergePolicy.rawValue == 64)
        #expect(NSMergePolicyType.rollbackMergePolicyType.rawValue == 4)
        #expect(NSEntityMappingType.transformEntityMappingType.rawValue == 5)
        #expect(NSFetchedResultsChangeType.update.rawValue == 4)
        #expect(NSCoreDataVersionNumber > NSCoreDataVersionNumber10_11_3)
    }
}
