/// The rows of an entity hierarchy by reference: a persistent tree of nodes with up to 64 children each.
///
/// Looking up and changing cost O(log₆₄ n); copying costs nothing; traversals are by ascending reference.
struct RowTable: Sendable {
    private var root = RowNode()
    private var height = 0
    private(set) var count = 0

    init() {}

    /// Creates a table of rows in a file.
    init(_ source: any RowBlockSource, _ damage: TableDamage) {
        var level: [(key: UInt64, node: RowNode)] = []
        level.reserveCapacity(source.blockCount)
        for index in 0..<source.blockCount {
            let (key, bitmap) = source.references(ofBlock: index)
            level.append((key, RowNode(bitmap: bitmap, block: RowBlock(source, index, damage))))
            count += bitmap.nonzeroBitCount
        }
        while let last = level.last, last.key > 0 {
            var above: [(key: UInt64, node: RowNode)] = []
            for (key, node) in level {
                if above.last?.key != key >> 6 { above.append((key >> 6, RowNode())) }
                above[above.count - 1].node.append(node, key & 63)
            }
            level = above
            height += 1
        }
        if let first = level.first { root = first.node }
    }

    @inline(__always)
    subscript(reference: Int64) -> Row? {
        let key = UInt64(bitPattern: reference)
        guard isInside(key) else { return nil }
        var node = unsafe Unmanaged.passUnretained(root)
        var shift = height * 6
        while true {
            // The tree retains the nodes, and does not change meanwhile.
            let next: Unmanaged<RowNode>? = unsafe node._withUnsafeGuaranteedRef { node in
                let bit = (key &>> UInt64(shift)) & 63
                guard shift > 0, node.bitmap & (1 &<< bit) != 0 else { return nil }
                return unsafe Unmanaged.passUnretained(node.children[(node.bitmap & ((1 &<< bit) &- 1)).nonzeroBitCount])
            }
            guard let next = unsafe next else { break }
            unsafe node = next
            shift -= 6
        }
        guard shift == 0 else { return nil }
        return unsafe node._withUnsafeGuaranteedRef { node in
            if let block = node.block { return block.leaf.row(key & 63) }
            return node.row(key & 63)
        }
    }

    /// Adds a row, and returns the one that it replaces.
    @discardableResult
    mutating func put(_ row: Row) -> Row? {
        let key = UInt64(bitPattern: row.reference)
        while !isInside(key) {
            let above = RowNode()
            if count > 0 {
                above.bitmap = 1
                above.children = [root]
            }
            root = above
            height += 1
        }
        if !isKnownUniquelyReferenced(&root) { root = RowNode(copying: root) }
        let old = root.put(row, key, shift: height * 6)
        if old == nil { count += 1 }
        return old
    }

    @discardableResult
    mutating func remove(_ reference: Int64) -> Row? {
        let key = UInt64(bitPattern: reference)
        guard self[reference] != nil else { return nil }
        if !isKnownUniquelyReferenced(&root) { root = RowNode(copying: root) }
        count -= 1
        return root.remove(key, shift: height * 6)
    }

    /// Traverses all rows, or those from the leaf of a reference on, upward by reference, until `body` returns false.
    @inline(__always)
    func forEach(from first: Int64 = 0, _ body: (Row) throws -> Bool) rethrows {
        // A loop: recursion would retain what `body` captures at every row.
        guard var leaves = RowNode.Leaves(of: root, height: height, from: UInt64(bitPattern: max(0, first))) else { return }
        while let rows = leaves.next() {
            for row in rows where try !body(row) { return }
        }
    }

    private func isInside(_ key: UInt64) -> Bool { height >= 10 || key &>> UInt64(height * 6 + 6) == 0 }
}

/// A node of a ``RowTable``: a bitmap of the occupied positions, and their content, without gaps.
// Unchecked: only the one tree that has it changes a node, before another can.
final class RowNode: @unchecked Sendable {
    // Unchecked: no node changes while it is read, and a check for every step of a look-up costs more than the step.
    @safe @exclusivity(unchecked) fileprivate(set) var bitmap: UInt64 = 0
    @safe @exclusivity(unchecked) fileprivate(set) var rows: ContiguousArray<Row> = []
    @safe @exclusivity(unchecked) fileprivate(set) var children: ContiguousArray<RowNode> = []
    /// What has the rows of a leaf that were not changed since they were found in a file; `nil` in other nodes.
    @safe @exclusivity(unchecked) fileprivate(set) var block: RowBlock?

    fileprivate init() {}

    init(bitmap: UInt64, rows: ContiguousArray<Row>) { (self.bitmap, self.rows) = (bitmap, rows) }

    fileprivate init(bitmap: UInt64, block: RowBlock) { (self.bitmap, self.block) = (bitmap, block) }

    fileprivate init(copying other: RowNode) {
        bitmap = other.bitmap
        rows = other.rows
        children = other.children
        block = other.block
    }

    @inline(__always)
    fileprivate func row(_ bit: UInt64) -> Row? {
        guard bitmap & (1 &<< bit) != 0 else { return nil }
        return rows[(bitmap & ((1 &<< bit) &- 1)).nonzeroBitCount]
    }

    /// Adds a child behind the others.
    fileprivate func append(_ child: RowNode, _ bit: UInt64) {
        bitmap |= 1 &<< bit
        children.append(child)
    }

    /// Takes the rows over from the block, before they change.
    private func own() {
        guard let leaf = block?.leaf else { return }
        (bitmap, rows, block) = (leaf.bitmap, leaf.rows, nil)
    }

    fileprivate func put(_ row: Row, _ key: UInt64, shift: Int) -> Row? {
        own()
        let bit = (key &>> UInt64(shift)) & 63
        let index = (bitmap & ((1 &<< bit) &- 1)).nonzeroBitCount
        let isTaken = bitmap & (1 &<< bit) != 0
        bitmap |= 1 &<< bit
        if shift > 0 {
            if !isTaken {
                children.insert(RowNode(), at: index)
            } else if !isKnownUniquelyReferenced(&children[index]) {
                children[index] = RowNode(copying: children[index])
            }
            return children[index].put(row, key, shift: shift - 6)
        }
        if isTaken {
            let old = rows[index]
            rows[index] = row
            return old
        }
        if rows.isEmpty { rows.reserveCapacity(64) }
        rows.insert(row, at: index)
        return nil
    }

    fileprivate func remove(_ key: UInt64, shift: Int) -> Row? {
        own()
        let bit = (key &>> UInt64(shift)) & 63
        guard bitmap & (1 &<< bit) != 0 else { return nil }
        let index = (bitmap & ((1 &<< bit) &- 1)).nonzeroBitCount
        if shift == 0 {
            bitmap &= ~(1 &<< bit)
            return rows.remove(at: index)
        }
        if !isKnownUniquelyReferenced(&children[index]) { children[index] = RowNode(copying: children[index]) }
        let old = children[index].remove(key, shift: shift - 6)
        if children[index].bitmap == 0 {
            children.remove(at: index)
            bitmap &= ~(1 &<< bit)
        }
        return old
    }

    /// The rows of each leaf below a node, in order.
    struct Leaves {
        /// The nodes from the root to the current one, with the index of each one's next child.
        private var path: [(node: RowNode, next: Int)]

        /// - Parameters:
        ///   - root: The root of a tree.
        ///   - height: The height of the tree.
        ///   - first: The least reference: leaves that only have lesser ones are left out.
        init?(of root: RowNode, height: Int, from first: UInt64) {
            path = []
            guard height >= 10 || first >> UInt64(height * 6 + 6) == 0 else { return nil }
            var node = root
            for level in stride(from: height, to: 0, by: -1) {
                let bit = first >> UInt64(level * 6) & 63
                let before = (node.bitmap & (1 << bit - 1)).nonzeroBitCount
                guard node.bitmap & (1 << bit) != 0 else {
                    path.append((node, before))
                    return
                }
                path.append((node, before + 1))
                node = node.children[before]
            }
            path.append((node, 0))
        }

        mutating func next() -> ContiguousArray<Row>? {
            while let (node, next) = path.last {
                if node.children.isEmpty {
                    path.removeLast()
                    return node.block?.leaf.rows ?? node.rows
                }
                if next == node.children.count {
                    path.removeLast()
                } else {
                    path[path.count - 1].next += 1
                    path.append((node.children[next], 0))
                }
            }
            return nil
        }
    }
}
