/// Distinct warnings about a version, up to a limit.
struct WarningList {
    private static let limit = 10_000
    private(set) var all: [ModelFileWarning] = []
    private var known: Set<ModelFileWarning> = []

    mutating func add(_ kind: ModelFileWarning.Kind, _ element: String, line: Int?, _ message: String) {
        guard all.count < WarningList.limit else { return }
        let warning = ModelFileWarning(kind: kind, version: nil, element: element, line: line, message: message)
        if known.insert(warning).inserted { all.append(warning) }
    }
}
