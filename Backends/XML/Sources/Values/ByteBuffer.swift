/// Bytes that grow at their end, emptied and refilled without releasing their memory.
// Safe: it owns the memory, and every write is preceded by a check of the capacity.
@safe struct ByteBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 256) {
        unsafe start = .allocate(capacity: max(capacity, 1))
        self.capacity = max(capacity, 1)
    }

    deinit { unsafe start.deallocate() }

    /// The content, valid until the next change.
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: count) }

    mutating func removeAll() { count = 0 }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        if count == capacity { grow(1) }
        unsafe start[count] = byte
        count &+= 1
    }

    @inline(__always)
    mutating func append(_ source: UnsafePointer<UInt8>, _ length: Int) {
        if capacity &- count < length { grow(length) }
        unsafe (start + count).update(from: source, count: length)
        count &+= length
    }

    mutating func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { if let source = $0.baseAddress { unsafe append(source, $0.count) } }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if let source = bytes.baseAddress { unsafe append(source.assumingMemoryBound(to: UInt8.self), bytes.count) }
    }

    mutating func append(_ text: StaticString) { unsafe append(text.utf8Start, text.utf8CodeUnitCount) }

    mutating func append(text: String) {
        var text = text
        text.withUTF8 { if let source = $0.baseAddress { unsafe append(source, $0.count) } }
    }

    mutating func append(integer: Int64) {
        if integer < 0 { append(UInt8(ascii: "-")) }
        append(digits: integer.magnitude, width: 1)
    }

    /// Appends a number in at least `width` decimal digits, at most 20.
    mutating func append(digits: UInt64, width: Int) {
        if capacity &- count < 20 { grow(20) }
        var length = 1
        var limit: UInt64 = 10
        while length < 20, digits >= limit {
            length += 1
            let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
            if overflow { break }
            limit = next
        }
        length = max(length, min(width, 20))
        var rest = digits
        var index = count + length
        while index > count {
            index -= 1
            unsafe start[index] = UInt8(truncatingIfNeeded: rest % 10) &+ UInt8(ascii: "0")
            rest /= 10
        }
        count += length
    }

    private mutating func grow(_ additional: Int) {
        let larger = max(capacity * 2, count + additional)
        let next = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        unsafe next.update(from: start, count: count)
        unsafe start.deallocate()
        unsafe start = next
        capacity = larger
    }
}
