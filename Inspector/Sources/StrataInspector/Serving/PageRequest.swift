import Hummingbird

/// A request for a page: its name, its form, and the values in the query.
struct PageRequest: Sendable {
    /// The last part of the path.
    let file: String
    /// The page; `nil` where there is no such one.
    let name: PageName?
    /// Whether the answer is JSON: the path ends so, or the client accepts JSON rather than HTML.
    let isJSON: Bool
    let values: FormValues

    init(_ request: Request, at path: [Substring]) {
        file = path.count == 1 ? String(path[0]) : path.isEmpty ? "" : "/"
        let accepted = request.headers[.accept]?.lowercased() ?? ""
        let hasEnding = file.hasSuffix(".json")
        isJSON = hasEnding || (accepted.contains("application/json") && !accepted.contains("text/html"))
        let stem = hasEnding ? String(file.dropLast(5)) : file
        name = stem == "index" && hasEnding ? .overview : PageName(rawValue: stem)
        values = FormValues(request.uri.query ?? "")
    }
}
