import StrataModelCode

/// The constants of a generated file that hold the names of properties, one for each class.
///
/// One constant of many names is cheaper to compile than many of one.
struct KeyNames {
    private struct Table {
        var constant: String
        var keys: [String] = []
        var indexes: [String: Int] = [:]
    }

    private var tables: [String: Table] = [:]
    private var order: [String] = []
    private var taken: Set<String> = []

    /// The declarations of the constants, in the order in which they were asked for.
    var declarations: [String] {
        order.compactMap { tables[$0] }.map { table in
            "private nonisolated let \(table.constant) = ManagedKeys(\(SwiftName.literal(table.keys.joined(separator: "\n"))))"
        }
    }

    /// The expression of the name of a class's property.
    mutating func constant(_ owner: String, _ key: String) -> String {
        if tables[owner] == nil {
            tables[owner] = Table(constant: unique("_" + KeyNames.identifier(owner)))
            order.append(owner)
        }
        let (constant, index) = index(owner, key)
        return "\(constant)[\(index)]"
    }

    private mutating func index(_ owner: String, _ key: String) -> (String, Int) {
        guard var table = tables[owner] else { return ("", 0) }
        if let known = table.indexes[key] { return (table.constant, known) }
        let index = table.keys.count
        table.indexes[key] = index
        table.keys.append(key)
        tables[owner] = table
        return (table.constant, index)
    }

    /// A name of a function for a class's property.
    mutating func function(_ owner: String, _ key: String, _ suffix: String) -> String {
        unique("_" + KeyNames.identifier(owner + "_" + key) + "_" + suffix)
    }

    /// A name that nothing else in the file has.
    private mutating func unique(_ name: String) -> String {
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
