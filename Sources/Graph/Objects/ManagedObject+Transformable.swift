import StrataModel
public import StrataQuery
import StrataStore

extension ManagedObject {
    /// Returns the value of a transformable attribute; `nil` where there is none.
    ///
    /// The value is decoded at each access: changing it in place changes nothing here.
    ///
    /// - Throws: `StoreError` with `unknownKey` or `wrongValue`; what the transformer throws.
    public final func transformed<T>(_ key: String, as type: T.Type = T.self) throws -> T? {
        guard let value = try value(forKey: key) else { return nil }
        guard let typed = value as? T else { throw wrongValue(key, "\(shown(value)) is no \(T.self)") }
        return typed
    }

    /// The value of an attribute with a transformer; `nil` without one, and where its bytes cannot be decoded.
    ///
    /// It is decoded at each access; see ``ManagedObjectContext/lastFaultError``. One that cannot be encoded is
    /// refused, and ``ManagedObjectContext/save()`` throws why.
    public final subscript<V>(transformable key: Key<V>) -> V? {
        get {
            if KeyPathProbe.isProbe(self) { return nil }
            do { return try transformed(key.path) } catch {
                managedObjectContext?.failedAccesses.add(error, of: self, key.path, isAnswered: true)
                return nil
            }
        }
        set {
            do { try setValue(newValue, forKey: key.path) } catch {
                managedObjectContext?.failedAccesses.add(error, of: self, key.path, isAnswered: false)
            }
        }
    }

    /// The value of a transformable attribute; without a transformer it is stored as a property list.
    public final subscript<V: Codable & Sendable>(transformable key: Key<V>) -> V? {
        get { self[optional: key] }
        set { self[optional: key] = newValue }
    }
}
