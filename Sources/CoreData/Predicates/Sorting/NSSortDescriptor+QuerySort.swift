import Foundation
import StrataModel
import StrataQuery

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
