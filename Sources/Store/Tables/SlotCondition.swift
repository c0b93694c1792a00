import FoundationEssentials
import StrataModel
import StrataQuery

/// What a comparison demands of a slot, where an index over the slot can answer it exactly.
struct SlotCondition {
    /// A bound of a range, or a value to be met.
    enum Key {
        case null
        case word(UInt64)
        case bytes([UInt8])

        /// How the content of a row's slot stands to the key.
        func order(_ row: Row, _ element: IndexShape.Element) -> Ordering {
            if row.isNull(element.slot) { return Ordering(0, isNull ? 0 : 1) }
            switch self {
            case .null: return .greater
            case .word(let word): return Ordering(KeyWord.of(row, element), word)
            case .bytes(let bytes): return bytes.withUnsafeBytes { bytes in
                row.bytes(element.slot).map { compareBytes($0, bytes) } ?? .less
            }
            }
        }

        /// The word of a row whose slot, the first of the index, holds the key.
        var word: UInt64 {
            switch self {
            case .null: 0
            case .word(let word): word
            case .bytes(let bytes): bytes.withUnsafeBytes { KeyWord.of($0) }
            }
        }

        private var isNull: Bool {
            if case .null = self { true } else { false }
        }
    }

    /// The demand.
    enum Form {
        /// One of some keys.
        case among([Key])
        /// Between two keys; what is not there is neither null nor a NaN.
        case range(from: Key?, includesFrom: Bool, to: Key?, includesTo: Bool)
        /// Text that begins with some bytes.
        case prefix([UInt8])
    }

    let slot: Int
    let form: Form
    /// The place of the condition among the plan's.
    let number: Int

    /// The demand of a condition; `nil` where an index cannot answer it.
    init?(_ predicate: ResolvedPredicate, _ number: Int, _ storeUUID: String?) {
        guard case .comparison(let comparison) = predicate, comparison.left.steps.isEmpty, comparison.options.isEmpty,
            let slot = comparison.left.leafSlot, let constant = comparison.right.constant,
            let form = SlotCondition.form(comparison.operator, constant, comparison.left.leafKind, storeUUID)
        else { return nil }
        self.slot = slot
        self.form = form
        self.number = number
    }

    /// The keys of which the slot has to hold one, with the condition's number; `nil` for another demand.
    var keys: (Int, [Key])? {
        if case .among(let keys) = form { (number, keys) } else { nil }
    }

    private static func form(_ op: QueryComparison.Operator, _ constant: Value, _ kind: SlotKind, _ storeUUID: String?) -> Form? {
        switch (op, constant) {
        case (.equal, _): return key(constant, kind, storeUUID).map { .among([$0]) }
        case (.isIn, .list(let values)):
            if kind == .reference { return .among(values.compactMap { key($0, kind, storeUUID) }) }
            let keys = values.compactMap { key($0, kind, storeUUID) }
            return keys.count == values.count ? .among(keys) : nil
        case (.beginsWith, .string(let text)) where kind == .string || kind == .uri: return .prefix(Array(text.utf8))
        case (.between, .list(let bounds)) where bounds.count == 2 && hasRanges(kind):
            guard let from = bound(bounds[0], kind), let to = bound(bounds[1], kind) else { return nil }
            return .range(from: from, includesFrom: true, to: to, includesTo: true)
        default: break
        }
        guard hasRanges(kind), let bound = bound(constant, kind) else { return nil }
        switch op {
        case .less: return .range(from: nil, includesFrom: false, to: bound, includesTo: false)
        case .lessOrEqual: return .range(from: nil, includesFrom: false, to: bound, includesTo: true)
        case .greater: return .range(from: bound, includesFrom: false, to: nil, includesTo: false)
        case .greaterOrEqual: return .range(from: bound, includesFrom: true, to: nil, includesTo: false)
        default: return nil
        }
    }

    private static func hasRanges(_ kind: SlotKind) -> Bool {
        switch kind {
        case .integer, .double, .float, .date, .string, .uri: true
        default: false
        }
    }

    private static func bound(_ value: Value, _ kind: SlotKind) -> Key? { value.isNull ? nil : key(value, kind, nil) }

    private static func key(_ value: Value, _ kind: SlotKind, _ storeUUID: String?) -> Key? {
        switch (kind, value) {
        case (_, .null): .null
        case (.integer, .int(let number)): .word(KeyWord.of(number))
        case (.boolean, .bool(let flag)): .word(KeyWord.of(Int64(flag ? 1 : 0)))
        case (.double, .double(let number)), (.float, .double(let number)): number.isNaN ? nil : .word(KeyWord.of(number))
        case (.date, .date(let date)):
            date.timeIntervalSinceReferenceDate.isNaN ? nil : .word(KeyWord.of(date.timeIntervalSinceReferenceDate))
        case (.string, .string(let text)), (.uri, .string(let text)): .bytes(Array(text.utf8))
        case (.uri, .url(let url)): .bytes(Array(url.absoluteString.utf8))
        case (.uuid, .uuid(let uuid)): .bytes(withUnsafeBytes(of: uuid.uuid) { Array($0) })
        case (.binary, .data(let data)): .bytes(Array(data))
        // An object of another store, or one that was never saved, is in no row.
        case (.reference, .objectID(let id)): id.storeUUID == storeUUID && id.reference > 0 ? .word(KeyWord.of(id.reference)) : nil
        default: nil
        }
    }
}
