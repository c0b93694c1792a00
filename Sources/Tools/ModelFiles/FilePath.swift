/// Parts of paths, and the order of versions' names.
enum FilePath {
    static func fileExtension(_ path: String) -> String { split(path).fileExtension }

    /// Returns the last component without its extension.
    static func name(_ path: String) -> String { split(path).name }

    private static func split(_ path: String) -> (name: String, fileExtension: String) {
        let last = path.split(separator: "/").last ?? ""
        guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return (String(last), "") }
        return (String(last[..<dot]), String(last[last.index(after: dot)...]))
    }

    /// Returns whether a name precedes another one: "Shop 2" before "Shop 10".
    static func precedes(_ a: String, _ b: String) -> Bool {
        let (left, right) = (parts(name(a)), parts(name(b)))
        for (one, other) in zip(left, right) where one != other {
            if let number = one.number, let second = other.number, number != second { return number < second }
            return one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
        }
        return left.count == right.count ? a.utf8.lexicographicallyPrecedes(b.utf8) : left.count < right.count
    }

    private struct Part: Equatable {
        var text: String
        var number: Int?
    }

    private static func parts(_ name: String) -> [Part] {
        var parts: [Part] = []
        for character in name {
            let isDigit = ("0"..."9").contains(character)
            if let last = parts.last, (last.number != nil) == isDigit {
                parts[parts.count - 1].text.append(character)
            } else {
                parts.append(Part(text: String(character), number: isDigit ? 0 : nil))
            }
            if isDigit { parts[parts.count - 1].number = Int(parts[parts.count - 1].text) ?? .max }
        }
        return parts
    }
}
