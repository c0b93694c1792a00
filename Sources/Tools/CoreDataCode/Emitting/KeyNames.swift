import StrataModelCode

/// The names in a generated file: of its constant with the names of properties, and of its functions.
///
/// One constant for all classes compiles faster than one for each.
struct KeyNames {
    /// Distinguishes the names from those of other files: with equal names a change of one file would recompile all.
    private let suffix: String
    let constant: String

    /// The name of a class's property.
    struct Key: Hashable {
        var owner: String
        var name: String
    }

    private var keys: [Key] = []
    private var indexes: [Key: Int] = [:]
    private var taken: Set<String>

    /// - Parameter number: The file's number, from 1.
    init(file number: Int) {
        suffix = number == 1 ? "" : "\(number)"
        constant = "_managedKeys" + suffix
        taken = [constant]
    }

    /// The declaration of the constant; none if no property was added.
    var declarations: [String] {
        let names = keys.map(\.name).joined(separator: "\n")
        return keys.isEmpty ? [] : ["private nonisolated let \(constant) = ManagedKeys(\(SwiftName.literal(names)))"]
    }

    mutating func index(_ key: Key) -> Int {
        if let known = indexes[key] { return known }
        let index = keys.count
        keys.append(key)
        indexes[key] = index
        return index
    }

    /// Returns the name of a function for a class's property, unique in the file.
    mutating func function(_ key: Key, _ suffix: String) -> String {
        unique("_" + KeyNames.identifier(key.owner + "_" + key.name) + "_" + suffix)
    }

    /// Returns the name of a function that calls another one for properties of a type.
    mutating func function(calling called: String, for type: String) -> String {
        unique("\(called)\(suffix)_\(KeyNames.identifier(type.filter { $0 != "?" }))")
    }

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
