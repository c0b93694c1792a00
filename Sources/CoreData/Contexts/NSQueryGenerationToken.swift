public import Foundation
import StrataCoordinator

/// A query generation that contexts can be pinned to: that of another context, or the ``current`` one.
///
/// The generation is held as long as a token or a context references it. Two tokens of one generation are equal.
// Unchecked: all that it holds is a constant.
public final class NSQueryGenerationToken: NSObject, NSCopying, @unchecked Sendable {
    /// The state of the stores when a context first reads them.
    public static let current = NSQueryGenerationToken(.current)

    let token: QueryGenerationToken

    init(_ token: QueryGenerationToken) { self.token = token }

    /// Returns the token itself, as it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool { (object as? NSQueryGenerationToken)?.token == token }
    public override var hash: Int { token.hashValue }
    public override var description: String { "<NSQueryGenerationToken: \(token)>" }
}
