public import StrataModel
import StrataStore

/// A property of an object that another context or process changed, with its values on all sides.
///
/// ```swift
/// do { try context.save() } catch let error as SaveConflictError {
///     for property in error.conflicts.flatMap(\.staleProperties) {
///         print(property.name, property.contextValue, property.cachedValue, property.storeValue)
///     }
/// }
/// ```
public struct StaleProperty: Sendable, Hashable {
    /// The name of an attribute, the path of an element of a composite one, or the name of a to-one relationship.
    public let name: String
    /// The value to be saved.
    public let contextValue: Value
    /// The value that the context had read, on which its changes are based.
    public let cachedValue: Value
    /// The value in the store.
    public let storeValue: Value

    /// Whether the context changed the value.
    public var isChangedInContext: Bool { contextValue != cachedValue }
    /// Whether the value in the store was changed since the context read it.
    public var isChangedInStore: Bool { storeValue != cachedValue }
}

extension StaleProperty: CustomStringConvertible {
    /// The name and the values, long ones as their beginnings.
    public var description: String {
        "\(name): \(contextValue.excerpt) in the context, \(cachedValue.excerpt) when it was read, \(storeValue.excerpt) in the store"
    }
}

extension SaveConflictError.Conflict {
    /// The properties that the context changed, or that were changed in the store since it read them, by name; none where
    /// the object is not in the store any more, and for other reasons than a change of the object.
    ///
    /// To-many relationships are not among them.
    public var staleProperties: [StaleProperty] {
        guard case .changed = reason, let cached = cachedSnapshot, let stored = persistedSnapshot else { return [] }
        return Set(objectSnapshot.keys).union(cached.keys).union(stored.keys).sorted().compactMap { name in
            let property = StaleProperty(
                name: name, contextValue: objectSnapshot[name] ?? .null, cachedValue: cached[name] ?? .null,
                storeValue: stored[name] ?? .null)
            return property.isChangedInContext || property.isChangedInStore ? property : nil
        }
    }
}
