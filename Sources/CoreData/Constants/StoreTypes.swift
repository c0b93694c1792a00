/// The type of stores in SQLite files; everything but in-memory stores and small documents uses it.
public let NSSQLiteStoreType = "SQLite"
/// The type of stores in XML files, which are read and written as a whole.
public let NSXMLStoreType = "XML"
/// The type of stores in binary files, which are read and written as a whole.
public let NSBinaryStoreType = "Binary"
/// The type of in-memory stores.
public let NSInMemoryStoreType = "InMemory"
