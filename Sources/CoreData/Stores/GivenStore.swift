import Foundation

/// A store as a program says which it means.
struct GivenStore {
    let type: String
    /// The configuration whose entities it holds; `nil` for all.
    let configuration: String?
    /// `nil` for one in memory.
    let url: URL?
    let options: [AnyHashable: Any]?

    init(_ type: String, configuration: String?, at url: URL?, _ options: [AnyHashable: Any]?) {
        (self.type, self.configuration, self.url, self.options) = (type, configuration, url, options)
    }

    /// The URL, or one of nothing.
    var place: URL { url ?? URL(fileURLWithPath: "/dev/null") }
}
