import Strata

@testable import StrataConformance

/// A parent over a coordinator, with a child.
struct Family {
    let stack: ConformanceStack
    let parent: ManagedObjectContext
    let child: ManagedObjectContext

    init(_ environment: ConformanceEnvironment, _ model: ModelResult = Models.company, _ name: String = "store") throws {
        stack = try environment.stack(model.get(), name)
        parent = stack.context()
        child = stack.child(of: parent)
    }

    /// The object of the child that is another context's, too.
    func childs<T: ManagedObject>(_ object: T) throws -> T { try unwrap(child.existingObject(with: object.objectID) as? T) }
    func parents<T: ManagedObject>(_ object: T) throws -> T { try unwrap(parent.existingObject(with: object.objectID) as? T) }

    /// The names of the people in the store.
    func saved() throws -> [String] { try stack.context().names(of: Person.self) }
}
