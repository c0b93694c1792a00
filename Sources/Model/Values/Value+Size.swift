import FoundationEssentials

extension Value {
    /// The number of bytes that the value takes in a row's variable area, roughly.
    package var variableSize: Int {
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
