import StrataModel
import StrataStore

/// The identity of a link in a store.
struct LinkID: Hashable {
    let table: Int
    let first: Int64
    let second: Int64

    /// Creates the identity of a link from an object on a side to another one.
    init(table: Int, _ side: LinkSide, from own: Int64, to other: Int64) {
        self.table = table
        (first, second) = side == .first ? (own, other) : (other, own)
    }
}
