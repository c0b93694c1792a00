import Foundation
import StrataGraph

extension NSManagedObjectContext {
    private static let currentKey = "StrataCurrentManagedObjectContext"

    /// The context whose block this thread runs, the innermost of nested ones.
    static private(set) var current: NSManagedObjectContext? {
        get { (Thread.current.threadDictionary[currentKey] as? WeakBox<AnyObject>).flatMap { NSManagedObjectContext.of($0) } }
        set { Thread.current.threadDictionary[currentKey] = newValue?.weakReference }
    }

    final func run<T>(_ block: () throws -> T) rethrows -> T {
        let before = NSManagedObjectContext.current
        NSManagedObjectContext.current = self
        defer { NSManagedObjectContext.current = before }
        return try block()
    }
}
