package import StrataModel
import StrataStore

/// The identity of a link in a store.
package struct LinkID: Hashable {
    package let table: Int
    package let first: Int64
    package let second: Int64

    /// Creates the identity of a link from an object on a side to another one.
    package init(table: Int, _ side: LinkSide, from own: Int64, to other: Int64) {
        self.table = table
        (first, second) = side == .first ? (own, other) : (other, own)
    }
}
