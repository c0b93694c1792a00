/// Keeps a listener of a context's events; it hears of nothing more once this is cancelled or gone.
///
/// It is used where the context is.
public final class ContextEventSubscription {
    private weak var context: ManagedObjectContext?
    private let number: Int

    init(_ context: ManagedObjectContext, _ number: Int) {
        self.context = context
        self.number = number
    }

    deinit { cancel() }

    /// Removes the listener.
    public func cancel() { context?.removeListener(number) }
}
