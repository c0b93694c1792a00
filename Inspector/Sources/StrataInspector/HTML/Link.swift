import Strata

/// The address of a page of the inspector; nothing else is linked to.
struct Link: Sendable, Hashable {
    /// The path with the query, percent-encoded.
    let text: String

    fileprivate init(_ path: String, _ query: [(String, String?)]) {
        let pairs = query.compactMap { name, value in value.map { "\(name)=\(Link.encoded($0))" } }
        text = path + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }

    /// The content of the page that has the link.
    static let main = Link("#main", [])

    private static func encoded(_ text: String) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count * 3)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.append(byte)
            default: encoded += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func digit(_ number: UInt8) -> UInt8 {
        number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "A") + number - 10
    }
}

/// The pages by the last part of their paths.
enum PageName: String, Sendable, CaseIterable {
    case overview = "", table, facets, object, related, query, model, history, transaction
}

/// Makes the addresses of pages, below the path at which the inspector is mounted.
struct Links: Sendable {
    /// The path, empty or with a slash in front and none behind.
    let base: String

    func page(_ name: PageName, _ query: (String, String?)...) -> Link { Link("\(base)/\(name.rawValue)", query) }

    /// A page with the values of a form.
    func page(_ name: PageName, asJSON: Bool = false, _ values: FormValues) -> Link {
        Link("\(base)/\(asJSON && name == .overview ? "index" : name.rawValue)\(asJSON ? ".json" : "")", values.all)
    }

    func file(_ name: StaticString) -> Link { Link("\(base)/\(name)", []) }

    func object(_ id: ObjectID) -> Link { page(.object, ("id", id.uriRepresentation)) }

    /// The objects of an entity that meet a condition.
    func table(_ entity: String, where condition: QueryPredicate? = nil) -> Link {
        page(.table, ("entity", entity), ("where", condition?.predicateFormat))
    }
}
