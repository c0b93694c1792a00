/// A listener of a context's events, until it is cancelled or released.
///
/// It is used on the context's executor.
public final class ContextEventSubscription {
    private let context: WeakBox<ManagedObjectContext>
    private let number: Int

    init(_ context: ManagedObjectContext, _ number: Int) {
        self.context = context.weakReference
        self.number = number
    }

    deinit { cancel() }

    /// Removes the listener.
    public func cancel() { context.object?.removeListener(number) }
}
