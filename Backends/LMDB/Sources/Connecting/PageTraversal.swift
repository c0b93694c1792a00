/// Visits every page in use of a file by reading, not mapping: LMDB trusts the heads of pages and the positions of nodes in them.
struct PageTraversal {
    /// Reads as many bytes as a page has at an offset, fewer at the end of the file.
    private let read: (_ offset: Int) throws -> [UInt8]
    private let pageSize: Int
    private let pages: UInt64
    private var pending: [UInt64] = []

    private enum Flag {
        static let branch: UInt16 = 0x01
        static let leaf: UInt16 = 0x02
        static let overflow: UInt16 = 0x04
        /// A leaf of values alone.
        static let fixed: UInt16 = 0x20
        static let bigValue: UInt16 = 0x01
        static let tree: UInt16 = 0x02
    }

    private static let header = 16
    private static let treeSize = 48

    init(pageSize: Int, size: Int, _ read: @escaping (_ offset: Int) throws -> [UInt8]) {
        self.read = read
        self.pageSize = pageSize
        pages = UInt64(size / pageSize)
    }

    /// Returns the first damage of the trees with given root pages; `nil` if all their pages are in the file.
    func firstDamage(below roots: [UInt64]) throws -> String? {
        var traversal = self
        traversal.pending = roots.filter { $0 != .max }
        return try traversal.run()
    }

    private mutating func run() throws -> String? {
        var visited: UInt64 = 0
        while let number = pending.popLast() {
            visited += 1
            guard visited <= pages else { return "its trees use a page twice" }
            guard number >= 2, number < pages else { return "page \(number) is in use" }
            let page = try read(Int(number) * pageSize)
            guard page.count == pageSize, visit(page, number) else { return "page \(number) is damaged" }
        }
        return nil
    }

    /// Adds the pages that a page references; false if it is malformed.
    private mutating func visit(_ page: [UInt8], _ number: UInt64) -> Bool {
        guard long(page, 0) == number else { return false }
        let flags = half(page, 10)
        if flags & Flag.overflow != 0 {
            let count = UInt64(half(page, 12)) | UInt64(half(page, 14)) << 16
            return count > 0 && count <= pages - number
        }
        let lower = Int(half(page, 12))
        guard flags & (Flag.branch | Flag.leaf) != 0, lower >= PageTraversal.header, lower <= pageSize else { return false }
        if flags & Flag.fixed != 0 { return true }
        for offset in stride(from: PageTraversal.header, to: lower - 1, by: 2) {
            let node = Int(half(page, offset))
            guard node >= lower, node + 8 <= pageSize else { return false }
            let low = UInt64(half(page, node)) | UInt64(half(page, node + 2)) << 16
            let (word, data) = (half(page, node + 4), node + 8 + Int(half(page, node + 6)))
            guard data <= pageSize else { return false }
            if flags & Flag.branch != 0 {
                pending.append(low | UInt64(word) << 32)
            } else if word & Flag.bigValue != 0 {
                guard data + 8 <= pageSize else { return false }
                pending.append(long(page, data))
            } else if word & Flag.tree != 0 {
                guard data + PageTraversal.treeSize <= pageSize else { return false }
                let root = long(page, data + 40)
                if root != .max { pending.append(root) }
            } else if low > UInt64(pageSize - data) {
                return false
            }
        }
        return true
    }

    private func half(_ page: [UInt8], _ offset: Int) -> UInt16 { page.number(at: offset) }

    private func long(_ page: [UInt8], _ offset: Int) -> UInt64 { page.number(at: offset) }
}

extension [UInt8] {
    /// Returns the number at an offset, in the machine's byte order as LMDB writes it.
    func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
        precondition(offset >= 0 && offset <= count - MemoryLayout<Number>.size)
        return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
}
