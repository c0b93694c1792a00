import Foundation
import StrataGraph

/// Passes an object's origin through its class's own initializer if the object has no context.
// Unchecked as its superclass; it lives for one call.
final class OriginCarrier: NSManagedObjectContext, @unchecked Sendable {
    init(_: Void) { super.init(concurrencyType: .mainQueueConcurrencyType) }
}
