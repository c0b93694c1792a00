public import Foundation
import StrataModel

extension NSPersistentStoreCoordinator {
    /// The types of stores that can be added: those that are built in, and the registered ones.
    ///
    /// Each value holds the class's address; the keys are what it is asked for.
    public static var registeredStoreTypes: [String: NSValue] {
        let builtIn = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType, NSInMemoryStoreType]
        var types = StoreClasses.types
        for type in builtIn { types[type] = NSPersistentStore.self }
        return types.mapValues { storeClass in
            var address = UInt64(UInt(bitPattern: ObjectIdentifier(storeClass)))
            // The encoding of an unsigned integer of 64 bits: Foundation has no values of pointers here.
            return unsafe NSValue(bytes: &address, objCType: "Q")
        }
    }

    /// Makes stores of a type instances of a class, a subclass of ``NSAtomicStore`` or ``NSIncrementalStore``; `nil` takes the type back.
    ///
    /// - Precondition: The class is such a subclass, and the type is not built in.
    public static func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        guard let storeClass else { return StoreClasses.set(nil, for: storeType) }
        guard let type = storeClass as? NSPersistentStore.Type, type is NSAtomicStore.Type || type is NSIncrementalStore.Type else {
            programmerError("\(storeClass) is no subclass of NSAtomicStore or NSIncrementalStore, and cannot be a store's class.")
        }
        StoreClasses.set(type, for: storeType)
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
