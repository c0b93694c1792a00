/// A class that says its entity: one of `@Model`, or one that overrides ``ManagedObject/entityDeclaration``.
///
/// Such classes make a model, `ManagedObjectModel(for: Person.self)`, and their objects can be made before they are inserted.
///
/// `Person.name` is the key path `\Person.name`, for queries; where `Person` has a static member of that name it is that.
@dynamicMemberLookup
public protocol PersistentModel: ManagedObject {}

extension PersistentModel {
    /// The key path of a property, by its name alone.
    public static subscript<Value>(dynamicMember keyPath: KeyPath<Self, Value>) -> KeyPath<Self, Value> { keyPath }
}
