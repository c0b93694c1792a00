/// A class that declares its entity: by `@Model`, or by overriding ``ManagedObject/entityDeclaration``.
///
/// Such classes make a model, `ManagedObjectModel(for: Person.self)`, and their objects can be made before they are
/// inserted.
///
/// `Person.name` is the key path `\Person.name`, for queries, unless `Person` has a static member of that name.
@dynamicMemberLookup
public protocol PersistentModel: ManagedObject {}

extension PersistentModel {
    /// The key path of a property, by its name alone.
    public static subscript<Value>(dynamicMember keyPath: KeyPath<Self, Value>) -> KeyPath<Self, Value> { keyPath }
}
