import StrataModel

/// The members that each class of managed objects has under its own type, by the conformance of ``ManagedObject``.
public protocol FetchRequesting: ManagedObject {}

extension ManagedObject: FetchRequesting {}

extension FetchRequesting {
    /// Returns a request for all objects of the one entity that names this class: `Person.fetchRequest()`.
    ///
    /// Unless exactly one entity names it, the request needs an ``ObjectFetchRequest/entityName``, and a fetch throws
    /// without.
    @_disfavoredOverload
    public static func fetchRequest() -> ObjectFetchRequest<Self> { ObjectFetchRequest() }

    /// Creates an object of the one entity that names this class in a context: `Person(context: context)`.
    ///
    /// Also of a class value: `func make<T: ManagedObject>(_ type: T.Type) -> T { T(context: context) }`.
    ///
    /// - Precondition: Exactly one entity of the context's model names the class.
    // In the protocol, as a class value has only required initializers, which each class would have to repeat.
    @inlinable
    public init(context: ManagedObjectContext) { self.init(inserting: context) }

    // Borrowing, as each object would count a reference to its context.
    @usableFromInline
    init(inserting context: borrowing ManagedObjectContext) {
        guard let entityIndex = context.entityIndex(of: Self.self)
        else { programmerError("exactly one entity of the model must name the class \(Self.self)") }
        let reference = IdentityMap.newReference()
        self.init(ObjectOrigin(id: context.identity.temporaryID(entityIndex, reference), context: context))
        context.register(inserted: self)
    }
}
