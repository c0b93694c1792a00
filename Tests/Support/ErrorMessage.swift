import Strata

/// Returns the message of the error that `body` throws, the description of one that is no store's; `nil` where it throws none.
package func messageOfError(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch { return (error as? StoreError)?.message ?? "\(error)" }
}

/// Returns a template if a message is of it, the message otherwise; each ellipsis of the template stands for any text.
package func masked(_ message: String?, _ template: String) -> String? {
    let parts = template.split(separator: "…", omittingEmptySubsequences: false)
    guard var rest = message?[...], parts.count > 1, rest.hasPrefix(parts[0]) else { return message }
    rest = rest.dropFirst(parts[0].count)
    for part in parts[1..<(parts.count - 1)] where !part.isEmpty {
        guard let range = rest.firstRange(of: part) else { return message }
        rest = rest[range.upperBound...]
    }
    return rest.hasSuffix(parts[parts.count - 1]) ? template : message
}
