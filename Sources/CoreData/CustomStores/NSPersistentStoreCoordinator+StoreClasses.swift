import StrataModel
import Synchronization

/// The registered store classes, by type name.
let storeClasses = Mutex<[String: NSPersistentStore.Type]>([:])

extension NSPersistentStoreCoordinator {
    /// The types of stores that can be added: built-in and registered ones.
    ///
    /// Each value holds the class's address.
    public static var registeredStoreTypes: [String: NSValue] {
        let builtIn = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType, NSInMemoryStoreType]
        var types = storeClasses.withLock { $0 }
        for type in builtIn { types[type] = NSPersistentStore.self }
        return types.mapValues { storeClass in
            var address = UInt64(UInt(bitPattern: ObjectIdentifier(storeClass)))
            // The encoding of a 64-bit unsigned integer: Foundation on Linux has no values of pointers.
            return unsafe NSValue(bytes: &address, objCType: "Q")
        }
    }

    /// Registers a subclass of ``NSAtomicStore`` or ``NSIncrementalStore`` for a store type; `nil` unregisters it.
    ///
    /// - Precondition: The class is such a subclass, and the type is not built in.
    public static func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        guard let storeClass else { return storeClasses.withLock { $0[storeType] = nil } }
        guard let type = storeClass as? NSPersistentStore.Type, type is NSAtomicStore.Type || type is NSIncrementalStore.Type else {
            programmerError("\(storeClass) is no subclass of NSAtomicStore or NSIncrementalStore, and cannot be a store's class.")
        }
        storeClasses.withLock { $0[storeType] = type }
    }

    /// Makes stores of a type instances of a class; as ``registerStoreClass(_:forStoreType:)-(_,String)``.
    public static func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: NSPersistentStore.StoreType) {
        registerStoreClass(storeClass, forStoreType: storeType.rawValue)
    }

    /// Makes stores of a type instances of a class; as ``registerStoreClass(_:forStoreType:)-(_,String)``.
    public static func registerStoreClass(_ storeClass: AnyClass?, type storeType: NSPersistentStore.StoreType) {
        registerStoreClass(storeClass, forStoreType: storeType.rawValue)
    }
}
