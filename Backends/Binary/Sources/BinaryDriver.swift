public import StrataEngine

/// Stores in Strata's own binary format: one file, mapped when it is opened and written whole.
public typealias BinaryDriver = AtomicStoreDriver<BinaryCodec>

extension StoreDriver where Self == BinaryDriver {
    /// Stores in Strata's own binary format.
    public static var binary: BinaryDriver { BinaryDriver(BinaryCodec()) }
}

extension FileKind {
    /// A binary store.
    ///
    /// A part of the magic is enough: a file without the rest was damaged by a conversion of text.
    static let binary = FileKind("Binary") { $0.starts(with: FileLayout.magic.prefix(5)) }
}

extension StoreType {
    /// "Binary", Strata's own format.
    public static let binary = StoreType(rawValue: "Binary")
}
