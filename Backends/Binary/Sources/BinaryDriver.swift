import StrataEngine
import StrataStore

/// Stores in Strata's own binary format: one file, mapped when it is opened and written whole.
public typealias BinaryDriver = AtomicStoreDriver<BinaryCodec>

extension StoreDriver where Self == BinaryDriver {
    /// Stores in Strata's own binary format.
    public static var binary: BinaryDriver { BinaryDriver(BinaryCodec()) }
}

extension StoreType {
    /// The binary store.
    public static let binary = StoreType(rawValue: "Binary")
}
