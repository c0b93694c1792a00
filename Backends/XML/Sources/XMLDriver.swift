public import StrataEngine

/// Stores in Core Data's XML format: one text file, read and written whole.
public typealias XMLDriver = AtomicStoreDriver<XMLCodec>

extension StoreDriver where Self == XMLDriver {
    /// Stores in Core Data's XML format.
    public static var xml: XMLDriver { XMLDriver(XMLCodec()) }
}

extension StoreType {
    /// "XML", as Core Data spells it, too.
    public static let xml = StoreType(rawValue: "XML")
}
