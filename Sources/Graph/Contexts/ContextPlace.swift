/// Where the work of a context is done that takes care of its thread itself: the graph checks nothing then.
package protocol ContextPlace: Sendable {
    /// Whether this is there.
    var isCurrent: Bool { get }
    /// Runs a block there, and waits for it; right away where it is there already.
    func sync<T>(_ block: () throws -> T) rethrows -> T
    /// Runs a block there, some time soon.
    func async(_ block: @escaping @Sendable () -> Void)
}
