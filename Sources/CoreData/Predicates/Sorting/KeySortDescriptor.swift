import StrataGraph
import StrataModel
import StrataQuery
import StrataText

/// A sort descriptor that compares by key, or by a key path to values of any type.
final class KeySortDescriptor: NSSortDescriptor {
    enum Subject: Hashable {
        case key(String?)
        case path(AnyKeyPath)
    }

    enum Comparison {
        case selector(Selector?)
        case comparator(Comparator)
    }

    private let subject: Subject
    let comparison: Comparison

    init(_ subject: Subject, _ ascending: Bool, _ comparison: Comparison) {
        self.subject = subject
        self.comparison = comparison
        super.init(keyPath: \Any.self, ascending: ascending) { _, _ in .orderedSame }
    }

    override var keyPath: AnyKeyPath {
        if case .path(let path) = subject { path } else { super.keyPath }
    }

    /// The key path as a text, `nil` if it has none.
    var name: String? {
        if case .key(nil) = subject { nil } else { try? queryPath() }
    }

    func queryPath() throws -> String {
        switch subject {
        case .key(let key): key ?? "self"
        case .path(let path): try KeyPathName.name(of: path)
        }
    }

    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        let result = comparison.result(value(of: object1), value(of: object2))
        return ascending ? result : result.reversed
    }

    /// Compares two values in ascending order.
    override var comparator: Comparator {
        { [comparison] first, second in comparison.result(Operand(first), Operand(second)) }
    }

    private func value(of object: Any) -> Operand {
        switch subject {
        case .key(nil): Operand(object)
        case .key(let key?): Operand(object).value(forKeyPath: key)
        case .path(let path): Operand(object[keyPath: path])
        }
    }

    override var reversedSortDescriptor: Any { KeySortDescriptor(subject, !ascending, comparison) }

    /// The options of the supported selectors.
    static let selectors: [String: QueryComparison.Options] = [
        "compare:": [], "caseInsensitiveCompare:": .caseInsensitiveCompare, "localizedCompare:": .localizedCompare,
        "localizedCaseInsensitiveCompare:": .localizedCaseInsensitiveCompare, "localizedStandardCompare:": .localizedStandardCompare,
    ]

    /// Returns the options of a selector, `nil` for an unknown one.
    static func options(of selector: Selector?) -> QueryComparison.Options? {
        guard let selector else { return [] }
        return selectors[selector.name]
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeySortDescriptor else { return false }
        if other === self { return true }
        guard case .selector(let selector) = comparison, case .selector(let otherSelector) = other.comparison else { return false }
        return subject == other.subject && ascending == other.ascending
            && (selector ?? Selector("compare:")) == (otherSelector ?? Selector("compare:"))
    }

    override var hash: Int { subject.hashValue }

    override var description: String {
        "(\(name ?? "\(keyPath)"), \(ascending ? "ascending" : "descending"), \(selector?.name ?? "comparator"))"
    }
}

extension KeySortDescriptor.Comparison {
    fileprivate func result(_ a: Operand, _ b: Operand) -> ComparisonResult {
        switch self {
        case .comparator(let compare): return compare(a.any ?? NSNull(), b.any ?? NSNull())
        case .selector(let selector):
            guard let options = KeySortDescriptor.options(of: selector) else {
                programmerError("unsupported NSSortDescriptor selector: \(selector?.name ?? "")")
            }
            return a.sortOrder(b, options).comparisonResult
        }
    }
}

extension Ordering {
    fileprivate var comparisonResult: ComparisonResult {
        switch self {
        case .less: .orderedAscending
        case .greater: .orderedDescending
        case .equal, .unordered: .orderedSame
        }
    }
}

extension ComparisonResult {
    fileprivate var reversed: ComparisonResult { ComparisonResult(rawValue: -rawValue) ?? self }
}

extension NSSortDescriptor {
    /// Returns the descriptor as a sort key of a fetch.
    ///
    /// Foundation's own descriptors hide a comparator: one with a key path and a comparator sorts by the key path.
    ///
    /// - Throws: `QueryError` with `untranslatable` if a closure or an unknown selector compares; with
    ///   `computedProperty` if a key path references no property.
    func querySort() throws -> QuerySort {
        guard let keyed = self as? KeySortDescriptor else {
            return QuerySort(try KeyPathName.name(of: keyPath), ascending: ascending)
        }
        let path = try keyed.queryPath()
        guard case .selector(let selector) = keyed.comparison else {
            throw QueryError(.untranslatable, subject: path, "unsupported NSSortDescriptor (comparator blocks are not supported)")
        }
        guard let options = KeySortDescriptor.options(of: selector) else {
            throw QueryError(.untranslatable, subject: path, "unsupported NSSortDescriptor selector: \(selector?.name ?? "")")
        }
        return QuerySort(path, ascending: ascending, options)
    }

    /// Returns the descriptor of a sort key of a fetch.
    static func make(_ sort: QuerySort) -> NSSortDescriptor {
        let selector = KeySortDescriptor.selectors.first { $0.value == sort.options }?.key
        return NSSortDescriptor(key: sort.keyPath, ascending: sort.ascending, selector: selector.map { Selector($0) })
    }
}

/// The names of the properties that Swift key paths reference.
enum KeyPathName {
    /// Returns the path of the property that a key path of a managed object references; throws for other key paths.
    static func name(of keyPath: AnyKeyPath) throws -> String {
        // A property that stores its own value reads none of the entity's.
        if let name = NamedMembers.name(of: keyPath) { return name }
        let path =
            switch keyPath {
            case let property as any QueryPath: property.path
            case let object as any QueryObject: path(of: object.expression)
            case let collection as any QueryCollection: path(of: collection.expression)
            case _ where type(of: keyPath).rootType is ManagedObject.Type: try KeyPathProbe.path(of: keyPath)
            default: plainName(keyPath)
            }
        guard let path else { throw refusal(keyPath, "it does not start at a managed object, or its type is not that of a property") }
        if let reason = QueryError.reason(ofPlaceholder: path) { throw refusal(keyPath, reason) }
        return path
    }

    private static func path(of expression: QueryExpression) -> String? {
        if case .keyPath(let path) = expression { path } else { "self" }
    }

    /// Returns the name of a stored property of a structure, from the key path's text.
    private static func plainName(_ keyPath: AnyKeyPath) -> String? {
        let text = "\(keyPath)"
        guard text.hasPrefix("\\"), !text.contains("<"), let dot = text.firstIndex(of: ".") else { return nil }
        let path = text[text.index(after: dot)...].replacing("?", with: "")
        return path.isEmpty ? nil : String(path)
    }

    private static func refusal(_ keyPath: AnyKeyPath, _ why: String) -> QueryError {
        QueryError(.computedProperty, entity: "\(type(of: keyPath).rootType)", subject: "\(keyPath)", why)
    }
}

extension AnyKeyPath {
    /// The path of the property of a managed object that the key path references; `nil` for other key paths.
    ///
    /// The standard library's property of this name, which libraries use, is nil without Objective-C.
    public var _kvcKeyPathString: String? { try? KeyPathName.name(of: self) }
}
