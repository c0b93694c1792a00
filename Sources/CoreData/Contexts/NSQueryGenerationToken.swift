public import Foundation
import StrataCoordinator

/// A state of the stores that contexts can be pinned to: that of another context, or the ``current`` one.
///
/// The state is held as long as a token, or a context, has it. Two tokens are equal that stand for one state.
// Unchecked: all that it holds is a constant.
public final class NSQueryGenerationToken: NSObject, NSCopying, @unchecked Sendable {
    /// What the stores hold when a context reads them first.
    public static let current = NSQueryGenerationToken(.current)

    /// The graph's own.
    let token: QueryGenerationToken

    init(_ token: QueryGenerationToken) { self.token = token }

    /// The token itself, as it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool { (object as? NSQueryGenerationToken)?.token == token }
    public override var hash: Int { token.hashValue }
    public override var description: String { "<NSQueryGenerationToken: \(token)>" }
}
