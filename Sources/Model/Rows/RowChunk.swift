/// A block of memory with rows.
///
/// Rows keep their chunk alive. Bytes of a row never change once the row was returned.
// Unchecked: only its creator writes the memory, and never that of a returned row.
@safe public final class RowChunk: @unchecked Sendable {
    @usableFromInline let base: UnsafeMutableRawPointer
    /// The number of bytes.
    public let capacity: Int
    private let owner: AnyObject?

    /// A chunk without memory.
    static let empty = RowChunk(capacity: 0)

    init(capacity: Int) {
        unsafe base = .allocate(byteCount: capacity, alignment: 8)
        self.capacity = capacity
        owner = nil
    }

    /// Wraps memory that another object owns and keeps unchanged, such as a mapped file; it must be aligned to 8 bytes.
    public init(borrowing bytes: UnsafeRawBufferPointer, from owner: AnyObject) {
        let address = unsafe bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8)!  // never read: there are no bytes
        unsafe base = UnsafeMutableRawPointer(mutating: address)
        capacity = bytes.count
        self.owner = owner
    }

    deinit {
        if owner == nil { unsafe base.deallocate() }
    }
}
