import StrataModel

/// What each class of managed objects has under its own type: a conformance of ``ManagedObject`` alone, which its subclasses inherit.
public protocol FetchRequesting: ManagedObject {}

extension ManagedObject: FetchRequesting {}

extension FetchRequesting {
    /// Returns a request for all objects of the one entity that names this class: `Person.fetchRequest()`.
    ///
    /// Where several entities name it, or none does, the request needs an ``ObjectFetchRequest/entityName``, and a
    /// fetch throws without.
    @_disfavoredOverload
    public static func fetchRequest() -> ObjectFetchRequest<Self> { ObjectFetchRequest() }
}

// Not of the class itself: only a required initialiser is there for a class that is a value, and each class would have to have one.

extension FetchRequesting {
    /// Makes a new object of the one entity that names this class, and inserts it into a context: `Person(context: context)`.
    ///
    /// Also of a class that is a value: `func make<T: ManagedObject>(_ type: T.Type) -> T { T(context: context) }`.
    ///
    /// - Precondition: Exactly one entity of the context's model names the class.
    public init(context: ManagedObjectContext) {
        guard let entity = context.entity(of: Self.self) else {
            programmerError("exactly one entity of the model must name the class \(Self.self)")
        }
        self.init(ObjectOrigin(id: context.identity.temporaryID(for: entity), context: context))
        context.register(inserted: self)
    }
}
