extension NSPersistentStore {
    /// A type of stores: one that is built in, or one that is registered under a name of your own.
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        /// The name, such as ``NSSQLiteStoreType``.
        public var rawValue: String

        /// Creates a type by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Creates a type by its name.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// Stores in SQLite files.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// Stores in XML files.
        public static let xml = StoreType(rawValue: NSXMLStoreType)
        /// Stores in binary files.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
        /// Stores in memory.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    }
}
