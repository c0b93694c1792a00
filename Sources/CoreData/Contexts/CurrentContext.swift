import Foundation
import StrataGraph

/// The contexts whose blocks this thread runs, the innermost last.
private enum CurrentContext {
    private static let key = "StrataCurrentManagedObjectContext"

    private final class Holder {
        private let weakReference: WeakBox<AnyObject>
        init(_ context: NSManagedObjectContext) { weakReference = context.weakReference }

        var context: NSManagedObjectContext? { NSManagedObjectContext.of(weakReference) }
    }

    static var context: NSManagedObjectContext? {
        get { (Thread.current.threadDictionary[key] as? Holder)?.context }
        set { Thread.current.threadDictionary[key] = newValue.map { Holder($0) } }
    }

    static func with<T>(_ context: NSManagedObjectContext, _ body: () throws -> T) rethrows -> T {
        let before = self.context
        self.context = context
        defer { self.context = before }
        return try body()
    }
}

extension NSManagedObjectContext {
    /// The context whose block the caller runs in.
    static var current: NSManagedObjectContext? { CurrentContext.context }

    final func run<T>(_ block: () throws -> T) rethrows -> T { try CurrentContext.with(self, block) }
}
