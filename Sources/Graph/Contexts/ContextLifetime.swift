/// The references to a context and its objects that its end has to clear.
struct ContextLifetime {
    /// The weak reference by which closures on other threads reach the context.
    let weakReference = WeakBox<ManagedObjectContext>()
    /// The counterpart of the context in a module with other names for the graph.
    var counterpart: WeakBox<AnyObject>?
    /// Whether any object retains destinations: such objects may form cycles, which the context breaks at its end.
    var hasRetainedDestinations = false
}

extension ManagedObjectContext {
    var weakReference: WeakBox<ManagedObjectContext> { lifetime.weakReference }

    package var counterpart: WeakBox<AnyObject>? { lifetime.counterpart }

    /// Connects the context with its counterpart and adopts the semantics of its interface; `nil` disconnects it.
    package func setCounterpart(_ counterpart: WeakBox<AnyObject>?) {
        lifetime.counterpart = counterpart
        options.semantics = counterpart == nil ? .strata : .coreData
    }
}
