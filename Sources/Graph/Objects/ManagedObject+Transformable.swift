import StrataModel
import StrataQuery
import StrataStore

extension ManagedObject {
    /// The value of a transformable attribute; `nil` where there is none.
    ///
    /// The value is decoded at each access: changing it in place changes nothing here.
    ///
    /// - Throws: `StoreError` with `unknownKey` or `wrongValue`; what the transformer throws.
    public final func transformed<T>(_ key: String, as type: T.Type = T.self) throws -> T? {
        guard let value = try value(forKey: key) else { return nil }
        guard let typed = value as? T else { throw wrongValue(key, "\(shown(value)) is no \(T.self)") }
        return typed
    }
}
