package import StrataModel
import StrataStore

/// Which link of a store, whatever its places are.
package struct LinkID: Hashable {
    /// The index of the link table in the model.
    package let table: Int
    /// The reference of the object on the first side.
    package let first: Int64
    /// The reference of the object on the second side.
    package let second: Int64

    /// That of a link from an object on a side to another one.
    package init(table: Int, _ side: LinkSide, from own: Int64, to other: Int64) {
        self.table = table
        (first, second) = side == .first ? (own, other) : (other, own)
    }
}
