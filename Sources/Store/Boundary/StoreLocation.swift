/// The location of a store.
///
/// A driver supports certain kinds of location, and refuses others with `unsupported`.
public enum StoreLocation: Sendable, Hashable {
    /// In the file at a path, and files beside it. At `/dev/null` a store of any kind keeps nothing.
    case file(String)
    /// In memory: the store ends with its last user.
    case memory
    /// On a server, which other machines reach too.
    case server(ServerAddress)

    /// The path of the file; `nil` for a store that has none.
    public var path: String? { if case .file(let path) = self { path } else { nil } }

    /// The path of a file that keeps nothing, whatever is written to it.
    public static let null = StoreLocation.file("/dev/null")
}

extension StoreLocation: CustomStringConvertible {
    /// The location without passwords.
    public var description: String {
        switch self {
        case .file(let path): path
        case .memory: "memory"
        case .server(let address): address.description
        }
    }
}

/// The address of a server, the name of the store in it, and the credentials.
public struct ServerAddress: Sendable, Hashable {
    /// The credentials of a user; the description and the reflection hide the password.
    public struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        /// The name of the user.
        public var user: String
        /// The password, `nil` where the server identifies the user otherwise.
        public var password: String?

        /// Creates the credentials of a user, with a password where the server requires one.
        public init(user: String, password: String? = nil) {
            self.user = user
            self.password = password
        }

        public var description: String { user }
        public var customMirror: Mirror { Mirror(self, children: ["user": user]) }
    }

    /// The address in the server's own form: `postgresql://host:5432/database`.
    ///
    /// Only the driver reads it whole; descriptions show the scheme, the host and the path, as it may hold a password.
    public var url: String
    /// The name of the store in the database, where the driver needs one: a schema, for example.
    public var name: String?
    /// The credentials; `nil` where the driver finds them itself.
    public var credentials: Credentials?

    /// Creates the address of a store on a server.
    public init(_ url: String, name: String? = nil, credentials: Credentials? = nil) {
        self.url = url
        self.name = name
        self.credentials = credentials
    }
}

extension ServerAddress: CustomStringConvertible, CustomReflectable {
    /// The address without credentials, also those that were left in ``url``.
    public var description: String { name.map { "\(visibleURL) \($0)" } ?? visibleURL }

    public var customMirror: Mirror {
        Mirror(self, children: ["url": visibleURL, "name": name as Any, "credentials": credentials as Any])
    }

    /// The scheme, the host and the path of ``url``: passwords are before the host, or among the parameters after the
    /// path.
    private var visibleURL: String {
        let parts = url[...].split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let (scheme, rest) = parts.count == 2 ? (parts[0] + "://", parts[1]) : ("", url[...])
        let end = rest.firstIndex { "?#;".contains($0) || $0.isWhitespace } ?? rest.endIndex
        let head = rest[..<end]
        // A list of names and values may have the password anywhere.
        if scheme.isEmpty, head.contains("=") { return "…" }
        let host = head.lastIndex(of: "@").map { "…" + head[$0...] } ?? String(head)
        return scheme + host + (end == rest.endIndex ? "" : "…")
    }
}
