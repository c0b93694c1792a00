import StrataModelCode

/// The constants of a generated file that hold the names of properties.
struct KeyNames {
    private var names: [String: String] = [:]
    private var taken: Set<String> = []
    /// The declarations of the constants, in the order in which they were asked for.
    private(set) var declarations: [String] = []

    /// The constant for a property of a class.
    mutating func constant(_ owner: String, _ key: String) -> String {
        if let known = names[owner + "\0" + key] { return known }
        let name = unique("_" + KeyNames.identifier(owner + "_" + key))
        names[owner + "\0" + key] = name
        declarations.append("private nonisolated let \(name) = ManagedKey(\(SwiftName.literal(key)))")
        return name
    }

    /// A name that nothing else in the file has.
    mutating func unique(_ name: String) -> String {
        var candidate = name
        var number = 2
        while !taken.insert(candidate).inserted {
            candidate = "\(name)_\(number)"
            number += 1
        }
        return candidate
    }

    private static func identifier(_ text: String) -> String {
        String(text.unicodeScalars.map { $0 == "_" || $0.properties.isXIDContinue ? Character($0) : "_" })
    }
}
