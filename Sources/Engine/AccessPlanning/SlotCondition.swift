/// The condition of a predicate on one slot of the row itself, which an index over the slot can answer.
public struct SlotCondition: Sendable {
    /// The slot that is tested.
    public let slot: Slot
    /// The kind of the slot's value.
    public let kind: SlotKind
    /// The keys that meet the condition.
    public var keys: KeySet

    /// Creates the condition that a slot has one of some keys.
    public init(slot: Slot, kind: SlotKind, keys: KeySet) {
        self.slot = slot
        self.kind = kind
        self.keys = keys
    }

    /// Creates the condition of a predicate over a single slot; `nil` where an index cannot answer it.
    public init?(_ predicate: ResolvedPredicate, storeID: StoreID?) {
        switch predicate {
        case .constant, .test, .exists: return nil
        case .comparison(let comparison): self.init(comparison, storeID: storeID)
        case .not(let part):
            guard let condition = SlotCondition(part, storeID: storeID), let keys = condition.keys.complement else { return nil }
            self.init(slot: condition.slot, kind: condition.kind, keys: keys)
        case .and(let parts): self.init(parts, storeID) { $0.intersection($1) }
        case .or(let parts): self.init(parts, storeID) { $0.union($1) }
        }
    }

    /// Creates the condition of a comparison of a single slot with a constant; `nil` where an index cannot answer it.
    init?(_ comparison: ResolvedComparison, storeID: StoreID?) {
        let path = comparison.left
        guard path.variable == 0, path.steps.isEmpty, comparison.options.subtracting(.normalized).isEmpty, let slot = path.leafSlot,
            case .constant(let constant) = comparison.right
        else { return nil }
        let kind = path.leafKind
        let keys = SlotKeys(kind: kind, storeID: storeID, rootName: path.objectEntity?.rootName).keys(comparison.operator, constant)
        guard let keys else { return nil }
        self.init(slot: slot, kind: kind, keys: keys)
    }

    private init?(_ parts: [ResolvedPredicate], _ storeID: StoreID?, _ combine: (KeySet, KeySet) -> KeySet) {
        guard let first = parts.first.flatMap({ SlotCondition($0, storeID: storeID) }) else { return nil }
        var sets = [first.keys]
        for part in parts.dropFirst() {
            guard let condition = SlotCondition(part, storeID: storeID), condition.slot == first.slot else { return nil }
            sets.append(condition.keys)
        }
        self.init(slot: first.slot, kind: first.kind, keys: KeySet.combine(sets, combine))
    }
}

/// The keys of a slot kind that a comparison with a constant admits.
struct SlotKeys {
    let kind: SlotKind
    let storeID: StoreID?
    /// The name of the root of the objects' hierarchy; `nil` for an attribute.
    let rootName: String?

    /// Returns the keys that an operator admits; `nil` where keys cannot decide.
    func keys(_ op: QueryComparison.Operator, _ constant: Value) -> KeySet? {
        switch op {
        case .equal: return equal(constant)
        case .notEqual: return equal(constant)?.complement
        case .isIn:
            guard case .list(let values) = constant else { return nil }
            return among(values)
        case .between:
            guard case .list(let bounds) = constant, bounds.count == 2, let low = keys(.greaterOrEqual, bounds[0]),
                let high = keys(.lessOrEqual, bounds[1])
            else { return nil }
            return low.intersection(high)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return range(op, constant)
        case .beginsWith:
            guard isText, case .string(let text) = constant else { return nil }
            return prefixed(text)
        case .like:
            guard isText, case .string(let pattern) = constant else { return nil }
            return like(pattern)
        case .contains, .endsWith, .matches: return nil
        }
    }

    private var isText: Bool { kind == .string || kind == .uri }

    private func equal(_ constant: Value) -> KeySet? {
        if constant.isNull { return KeySet(.null) }
        if kind == .decimal { return nearest(constant).map { KeySet(from: .before($0), to: .after($0), isExact: false) } }
        if constant.isNaN { return .nothing }
        if let key = key(constant) { return KeySet(key) }
        switch (kind, constant) {
        // No integer equals a fraction, and no row has an object of another store, or an unsaved one.
        case (.integer, .double), (.reference, .objectID): return .nothing
        default: return nil
        }
    }

    private func among(_ values: [Value]) -> KeySet? {
        var keys: [IndexKey] = []
        keys.reserveCapacity(values.count)
        for value in values {
            if let key = value.isNull ? .null : key(value) {
                keys.append(key)
            } else {
                guard kind != .decimal, let none = equal(value), none.isEmpty else { return nil }
            }
        }
        return KeySet(keys)
    }

    private func key(_ value: Value) -> IndexKey? {
        switch (kind, value) {
        case (.integer, .int(let number)): .word(KeyWord.of(number))
        case (.integer, .double(let number)): Int64(exactly: number).map { .word(KeyWord.of($0)) }
        case (.boolean, .bool(let flag)): .word(KeyWord.of(Int64(flag ? 1 : 0)))
        case (.double, .double(let number)), (.float, .double(let number)): number.isNaN ? nil : .word(KeyWord.of(number))
        case (.double, .int(let number)), (.float, .int(let number)): Double(exactly: number).map { .word(KeyWord.of($0)) }
        case (.date, .date(let date)):
            date.timeIntervalSinceReferenceDate.isNaN ? nil : .word(KeyWord.of(date.timeIntervalSinceReferenceDate))
        case (.string, .string(let text)), (.uri, .string(let text)): .bytes(Array(text.utf8))
        case (.uri, .url(let url)): .bytes(Array(url.absoluteString.utf8))
        case (.uuid, .uuid(let uuid)): unsafe .bytes(withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) })
        case (.binary, .data(let data)): .bytes(Array(data))
        case (.reference, .objectID(let id)):
            id.storeID == storeID && id.reference > 0 && id.entity.rootName == rootName ? .word(KeyWord.of(id.reference)) : nil
        default: nil
        }
    }

    /// Returns the word of the double nearest to a decimal: decimals of one double are not ordered by words.
    private func nearest(_ constant: Value) -> IndexKey? {
        guard case .decimal(let number) = constant, let double = Double(number.description) else { return nil }
        return .word(KeyWord.of(double))
    }

    /// The upper bound of ordered values: neither nil nor NaN is less or greater than anything.
    private var end: KeyCut {
        switch kind {
        case .double, .float, .date, .decimal: .before(.word(.max))
        default: .end
        }
    }

    private func range(_ op: QueryComparison.Operator, _ constant: Value) -> KeySet? {
        guard kind != .reference, kind != .transformable else { return nil }
        if constant.isNull || constant.isNaN { return .nothing }
        let isBelow = op == .less || op == .lessOrEqual
        if kind == .decimal {
            guard let key = nearest(constant) else { return nil }
            return isBelow
                ? KeySet(from: .after(.null), to: .after(key), isExact: false) : KeySet(from: .before(key), to: end, isExact: false)
        }
        guard let cut = cut(op, constant) else { return nil }
        return isBelow ? KeySet(from: .after(.null), to: cut) : KeySet(from: cut, to: end)
    }

    private func cut(_ op: QueryComparison.Operator, _ constant: Value) -> KeyCut? {
        if let key = key(constant) { return op == .less || op == .greaterOrEqual ? .before(key) : .after(key) }
        guard kind == .integer, case .double(let number) = constant else { return nil }
        let next = number.rounded(.up)
        // A fraction lies before the next integer, whatever the operator.
        return Int64(exactly: next).map { .before(.word(KeyWord.of($0))) } ?? (next < 0 ? .after(.null) : .end)
    }

    private func prefixed(_ text: String) -> KeySet {
        var next = Array(text.utf8)
        let start = KeyCut.before(.bytes(next))
        while let last = next.popLast() {
            if last < 255 { return KeySet(from: start, to: .before(.bytes(next + [last + 1]))) }
        }
        return KeySet(from: start, to: .end)
    }

    /// Returns the keys that begin with the part before the first wildcard of a pattern.
    private func like(_ pattern: String) -> KeySet? {
        let start = pattern.unicodeScalars.prefix { $0 != "*" && $0 != "?" && $0 != "\\" }
        guard !start.isEmpty else { return nil }
        return prefixed(String(String.UnicodeScalarView(start))).intervals.first.map { KeySet(from: $0.from, to: $0.to, isExact: false) }
    }
}
