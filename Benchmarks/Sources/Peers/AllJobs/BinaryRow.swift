/// Values in the server's binary form, each after its length: the parameters of a statement, or rows of `COPY`.
struct BinaryRow {
    private(set) var bytes: [UInt8] = []
    /// Where the values of the row begin, behind their lengths.
    private var starts: [Int] = []
    private var row = 0

    init() {}

    /// The parameters of a statement.
    init(_ numbers: Int64...) { for number in numbers { add(number) } }

    /// How many values the row has.
    var count: Int { starts.count }

    func start(_ place: Int) -> Int { starts[place] }

    func length(_ place: Int) -> Int { (place + 1 < count ? starts[place + 1] - 4 : bytes.count) - starts[place] }

    mutating func add(_ number: Int64) {
        begin(length: 8)
        append(number)
    }

    mutating func add(_ number: Double) {
        begin(length: 8)
        append(number.bitPattern)
    }

    mutating func add(_ text: String) {
        begin(length: text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ blob: [UInt8]) {
        begin(length: blob.count)
        bytes.append(contentsOf: blob)
    }

    mutating func addNull() { begin(length: -1) }

    /// An array of `bigint`.
    mutating func add(_ numbers: [Int64]) {
        begin(length: 20 + 12 * numbers.count)
        // One dimension, no NULL, the type of the elements, how many there are, and the first one's number.
        for word: Int32 in [1, 0, 20, Int32(numbers.count), 1] { append(word) }
        for number in numbers {
            append(8 as Int32)
            append(number)
        }
    }

    private mutating func begin(length: Int) {
        append(Int32(length))
        starts.append(bytes.count)
    }

    private mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

/// The frame of `COPY`.
extension BinaryRow {
    mutating func beginCopy() {
        bytes.append(contentsOf: Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0])
        append(0 as Int64)
    }

    mutating func beginRow() {
        row = bytes.count
        append(0 as Int16)
    }

    mutating func endRow() {
        (bytes[row], bytes[row + 1]) = (UInt8(count >> 8), UInt8(count & 0xFF))
        starts.removeAll(keepingCapacity: true)
    }

    mutating func endCopy() { append(-1 as Int16) }

    mutating func clear() { bytes.removeAll(keepingCapacity: true) }
}
