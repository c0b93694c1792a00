import Foundation
import StrataModel
import StrataQuery

extension NSSortDescriptor {
    /// The descriptor as a key of a fetch's order.
    ///
    /// Foundation's own descriptors do not tell whether they were given a comparator: one made with a key path and a comparator sorts as
    /// the key path does.
    ///
    /// - Throws: `QueryError` with `untranslatable` where a closure or an unknown selector compares; with `computedProperty` where a key
    ///   path leads to no property.
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

    /// The descriptor that sorts as a key of a fetch's order does.
    static func make(_ sort: QuerySort) -> NSSortDescriptor {
        let selector: Selector? =
            switch sort.options {
            case .caseInsensitiveCompare: "caseInsensitiveCompare:"
            case .localizedCompare: "localizedCompare:"
            case .localizedCaseInsensitiveCompare: "localizedCaseInsensitiveCompare:"
            case .localizedStandardCompare: "localizedStandardCompare:"
            default: nil
            }
        return NSSortDescriptor(key: sort.keyPath, ascending: sort.ascending, selector: selector)
    }
}
