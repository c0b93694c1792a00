/// What each class of managed objects has under its own type: a conformance of ``ManagedObject`` alone, which its subclasses inherit.
public protocol FetchRequesting: ManagedObject {}

extension ManagedObject: FetchRequesting {}

extension FetchRequesting {
    /// A request for all objects of the one entity that names this class: `Person.fetchRequest()`.
    ///
    /// Where several entities name it, or none does, the request needs an ``ObjectFetchRequest/entityName``, and a fetch throws without.
    public static func fetchRequest() -> ObjectFetchRequest<Self> { ObjectFetchRequest() }
}
