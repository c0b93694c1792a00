/// The options of an inspector.
public struct InspectorOptions: Sendable {
    /// The hosts that requests may name, which keeps out pages of other sites whose names were made to resolve to this machine.
    public enum Hosts: Sendable, Hashable {
        /// `localhost`, `127.0.0.1` and `[::1]`, with any port.
        case loopback
        /// The given names, in lower case and without ports.
        case named(Set<String>)
        /// Any: the server around the inspector checks them.
        case any
    }

    /// A name for people, in the titles of pages.
    public var title: String
    /// The path at which the inspector is mounted: empty, or with a slash in front and none behind.
    public var path: String
    /// The hosts that requests may name.
    public var hosts: Hosts
    /// The secret that requests which write have; `nil` refuses them all.
    public var writeToken: String?
    /// The number of rows of a page where the request has none.
    public var pageSize = 50
    /// The greatest number of rows of a page, of the results of a query, and of the values of a facet.
    public var greatestPageSize = 1_000
    /// The greatest number of characters of a text, and of bytes of data, that tables show.
    public var greatestCell = 200
    /// The time after which a request is answered by an error.
    ///
    /// SQLite and PostgreSQL then end the statement; other stores read to the end, and count in ``greatestWork`` meanwhile.
    public var timeLimit = Duration.seconds(10)
    /// The greatest number of requests that read stores at a time; further requests wait, up to the time limit.
    public var greatestWork = 8
    /// The greatest number of pages that listen for changes at a time.
    public var greatestListeners = 64

    /// Opens the stores again; `nil` for a server that does so itself.
    ///
    /// It is called on any thread where a request finds the stores closed or their files replaced, also several times at once.
    public var reopen: (@Sendable () throws -> Void)?
    /// Returns whether the files of the stores are those that were opened; `nil`, the default, where only reads that fail show it.
    ///
    /// It is called for each page: an open store can be read when its file was replaced or moved away.
    public var isCurrent: (@Sendable () -> Bool)?

    /// Creates the options of an inspector that writes nothing, by default on loopback.
    public init(title: String = "Strata", path: String = "", hosts: Hosts = .loopback, writeToken: String? = nil) {
        (self.title, self.path, self.hosts, self.writeToken) = (title, path, hosts, writeToken)
    }
}
