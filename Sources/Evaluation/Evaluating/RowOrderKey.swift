import StrataText

/// One key of a sort order over row bytes.
struct RowOrderKey {
    let ascending: Bool
    private let path: PropertyPath
    private let slot: Slot?
    private let kind: SlotKind
    private let options: QueryComparison.Options

    init(_ sort: ResolvedSort) {
        path = sort.path
        ascending = sort.ascending
        slot = path.leafSlot
        kind = path.leafKind
        options = sort.options
    }

    var preparesText: Bool { kind == .string && slot != nil && TextOrder.preparesText(options) }

    func compare(_ a: Row, _ resolverA: any RowResolver, _ b: Row, _ resolverB: any RowResolver) throws -> Ordering {
        let ordering =
            path.steps.isEmpty
            ? try compare(a, b)
            : try compare(try RowPredicate.follow(path, from: a, resolverA), try RowPredicate.follow(path, from: b, resolverB))
        return ascending ? ordering : ordering.reversed
    }

    func text(of row: Row, _ resolver: any RowResolver, _ body: (UnsafeRawBufferPointer?) -> Void) throws {
        guard let slot, let end = path.steps.isEmpty ? row : try RowPredicate.follow(path, from: row, resolver) else { return body(nil) }
        let bytes = unsafe end.bytes(slot)
        if unsafe bytes == nil { try end.requireAvailable(slot, kind) }
        unsafe body(bytes)
    }

    /// Appends the bytes by which a text is compared.
    func prepare(_ text: UnsafeRawBufferPointer, into bytes: inout [UInt8], _ scratch: inout [UInt8]) {
        unsafe TextOrder.appendKey(of: text, options, to: &bytes, &scratch)
    }

    private func compare(_ a: Row?, _ b: Row?) throws -> Ordering {
        guard let slot else { return RowOrder.order(a?.reference ?? 0, b?.reference ?? 0) }
        let (isNullA, isNullB) = (a?.isNull(slot) ?? true, b?.isNull(slot) ?? true)
        guard let a, let b, !isNullA, !isNullB else {
            try a?.requireAvailable(slot, kind)
            try b?.requireAvailable(slot, kind)
            return Ordering(isNullA ? 0 : 1, isNullB ? 0 : 1)
        }
        switch kind {
        case .reference: return Ordering(a.rawWord(slot), b.rawWord(slot))
        case .integer, .boolean, .entity, .order: return Ordering(Int64(bitPattern: a.rawWord(slot)), Int64(bitPattern: b.rawWord(slot)))
        case .double, .float, .date:
            let (x, y) = (Double(bitPattern: a.rawWord(slot)), Double(bitPattern: b.rawWord(slot)))
            return x.isNaN || y.isNaN ? Ordering(x.isNaN ? 1 : 0, y.isNaN ? 1 : 0) : Ordering(x, y)
        case .string, .uri, .uuid, .binary, .transformable:
            guard let x = unsafe a.bytes(slot), let y = unsafe b.bytes(slot) else { return .equal }
            return unsafe preparesText ? comparePrepared(x, y) : compareBytes(x, y)
        case .decimal: return (a.decimal(slot) ?? .nan).sortOrder(b.decimal(slot) ?? .nan)
        }
    }

    private func comparePrepared(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Ordering {
        var (x, y, scratch): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        unsafe prepare(a, into: &x, &scratch)
        unsafe prepare(b, into: &y, &scratch)
        return unsafe x.withUnsafeBytes { x in unsafe y.withUnsafeBytes { unsafe compareBytes(x, $0) } }
    }
}

/// The folded or collated texts of one sort key, concatenated.
struct PreparedTexts {
    private var bytes: [UInt8] = []
    private var ends: [Int] = [0]
    private var isNull: [Bool] = []

    init(_ rows: [(Row, any RowResolver)], _ key: RowOrderKey) throws {
        ends.reserveCapacity(rows.count + 1)
        isNull.reserveCapacity(rows.count)
        var scratch: [UInt8] = []
        for (row, resolver) in rows {
            try unsafe key.text(of: row, resolver) { text in
                unsafe isNull.append(text == nil)
                if let text = unsafe text { unsafe key.prepare(text, into: &bytes, &scratch) }
            }
            ends.append(bytes.count)
        }
    }

    /// Returns the first eight bytes of a text as a number, by which different ones are ordered.
    func prefix(of index: Int) -> UInt64 {
        var word: UInt64 = 0
        for offset in 0..<8 {
            let position = ends[index] + offset
            word = word << 8 | (position < ends[index + 1] ? UInt64(bytes[position]) : 0)
        }
        return word
    }

    func compare(_ a: Int, _ b: Int) -> Ordering {
        if isNull[a] || isNull[b] { return Ordering(isNull[a] ? 0 : 1, isNull[b] ? 0 : 1) }
        return unsafe bytes.withUnsafeBytes {
            unsafe compareBytes(
                UnsafeRawBufferPointer(rebasing: $0[ends[a]..<ends[a + 1]]), UnsafeRawBufferPointer(rebasing: $0[ends[b]..<ends[b + 1]]))
        }
    }
}
