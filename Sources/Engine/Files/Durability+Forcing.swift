import StrataFiles
import StrataStore

extension StoreOptions.Durability {
    /// What a store forces to disk, when it writes a file anew, to keep the promise: what it reads again is whole in any case.
    var forcing: Forcing { self == .full ? .everything : .content }
}
