import StrataFiles
import StrataStore

extension StoreOptions.Durability {
    /// The synchronization of a rewritten file that the durability requires: it is read whole in any case.
    var forcing: Forcing { self == .full ? .everything : .content }
}
