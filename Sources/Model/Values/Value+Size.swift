import FoundationEssentials

extension Value {
    /// The approximate number of bytes in a row's variable area.
    public var variableSize: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        case .url(let url): url.absoluteString.utf8.count
        case .decimal: 64
        case .uuid: 16
        default: 0
        }
    }
}
