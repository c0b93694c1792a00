/// A class that says its entity: one of `@Model`, or one that overrides ``ManagedObject/entityDeclaration``.
///
/// Such classes make a model, `ManagedObjectModel(for: Person.self)`, and their objects can be made before they are inserted.
public protocol PersistentModel: ManagedObject {}
