import CoreData
import Dispatch
import Synchronization
import Testing

@Suite("Notifications of persistent histories")
struct HistoryNotificationTests {
    private let stack: HistoryStack

    init() throws { stack = try HistoryStack() }

    @Test("The notification of a transaction is merged into another context", arguments: [false, true]) func merging(asUserInfo: Bool)
        throws
    {
        defer { stack.remove() }
        let (writer, reader) = (try stack.context("app"), try stack.context(nil))
        try writer.performAndWait {
            let (kept, deleted) = (writer.addObject("Car", ["plate": "A 1"]), writer.addObject("Car", ["plate": "B 2"]))
            try writer.save()
            let token = try #require(writer.historyToken)
            try reader.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
                request.sortDescriptors = [NSSortDescriptor(key: "plate", ascending: true)]
                let cars = try reader.fetch(request)
                #expect(cars.map { $0.value(forKey: "plate") as? String } == ["A 1", "B 2"])
                kept.setValue("C 3", forKey: "plate")
                writer.delete(deleted)
                writer.addObject("Driver", ["name": "Ada"])
                try writer.save()
                for transaction in try reader.transactions(.fetchHistory(after: token)) {
                    let notification = transaction.objectIDNotification()
                    #expect((notification.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>)?.map(\.entity.name) == ["Driver"])
                    if asUserInfo {
                        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: notification.userInfo ?? [:], into: [reader])
                    } else {
                        reader.mergeChanges(fromContextDidSave: notification)
                    }
                }
                #expect(cars[0].value(forKey: "plate") as? String == "C 3")
                #expect(cars[1].isDeleted || cars[1].managedObjectContext == nil)
            }
        }
    }

    @Test("A remote-change notification has the store's UUID and URL, and a token that covers the change") func remoteChanges() throws {
        defer { stack.remove() }
        let context = try stack.context("app", [NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true)])
        let coordinator = try #require(context.persistentStoreCoordinator)
        let infos = Mutex<[(String?, URL?, NSPersistentHistoryToken?)]>([])
        let posted = DispatchSemaphore(value: 0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
        ) { note in
            let info = note.userInfo ?? [:]
            let values = (
                info[NSStoreUUIDKey] as? String, info[NSPersistentStoreURLKey] as? URL,
                info[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
            )
            infos.withLock { $0.append(values) }
            posted.signal()
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try context.performAndWait {
            context.addObject("Car", ["plate": "A 1"])
            try context.save()
        }
        #expect(posted.wait(timeout: .now() + .seconds(60)) == .success)
        let store = try #require(coordinator.persistentStores.first)
        let (uuid, url, token) = try #require(infos.withLock { $0.first })
        #expect(uuid == store.identifier)
        #expect(url == stack.url)
        #expect(token == context.historyToken)
    }
}
