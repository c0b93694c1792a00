import Hummingbird

/// Checks where a request comes from.
struct RequestGuard {
    private let request: Request

    init(_ request: Request) { self.request = request }

    /// Checks the host that the request names, and that no other site made it.
    ///
    /// A page of another site may have a name that resolves to this machine (DNS rebinding): its requests have that name as their host. A site may also
    /// load addresses of this machine without seeing the answer, and thus start expensive work: only following a link to here is allowed.
    ///
    /// - Throws: `PageError`.
    func check(hosts: InspectorOptions.Hosts) throws {
        guard isAllowed(hosts) else { throw PageError(.misdirectedRequest, "the inspector is not at the host that the request names") }
        let isNavigation = request.headers[.fetchMode] == "navigate" && request.method != .post
        if let site = request.headers[.fetchSite], site == "cross-site" || site == "same-site", !isNavigation {
            throw PageError(.forbidden, "another site made the request")
        }
    }

    /// Checks that a request has the token.
    ///
    /// The token is in the form or in a header: a browser adds neither by itself, as it would a cookie, to what another site sends.
    ///
    /// - Throws: `PageError`.
    func check(token: String?, in values: FormValues) throws {
        guard let token else { throw PageError(.forbidden, "the inspector only reads") }
        let header = request.headers[.authorization].flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
        guard let given = header ?? values.text("token") else { throw PageError(.unauthorized, "the request has no token") }
        guard RequestGuard.isEqual(given, token) else { throw PageError(.forbidden, "the token is another one") }
    }

    private func isAllowed(_ hosts: InspectorOptions.Hosts) -> Bool {
        let names: Set<String>
        switch hosts {
        case .any: return true
        case .loopback: names = ["localhost", "127.0.0.1", "[::1]"]
        case .named(let allowed): names = allowed
        }
        guard var host = request.head.authority?.lowercased() else { return false }
        if let colon = host.lastIndex(of: ":"), host[host.index(after: colon)...].allSatisfy({ $0.isASCII && $0.isNumber }) {
            host = String(host[..<colon])
        }
        return names.contains(host)
    }

    /// Compares in a time that does not depend on the position of the first difference.
    private static func isEqual(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        guard a.count == b.count, !a.isEmpty else { return false }
        return zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension HTTPFields.Element.Name {
    fileprivate static var fetchSite: HTTPFields.Element.Name { name("Sec-Fetch-Site") }
    fileprivate static var fetchMode: HTTPFields.Element.Name { name("Sec-Fetch-Mode") }

    private static func name(_ text: String) -> HTTPFields.Element.Name { HTTPFields.Element.Name(text) ?? .cookie }
}
