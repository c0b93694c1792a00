import Foundation
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
    static func options(of selector: Selector?) -> QueryComparison.Options? { selectors[selector?.name ?? "compare:"] }

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
