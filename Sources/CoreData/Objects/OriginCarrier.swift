import Foundation
import StrataGraph

/// What hands an object's origin through its class's own initializer where the object has no context.
// Unchecked as its superclass; it lives for one call.
final class OriginCarrier: NSManagedObjectContext, @unchecked Sendable {
    init(_: Void) { super.init(concurrencyType: .mainQueueConcurrencyType) }
}
