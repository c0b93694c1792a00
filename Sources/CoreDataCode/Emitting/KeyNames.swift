import StrataModelCode

/// The names that a generated file gives: of its constant, which holds the names of properties, and of its functions.
///
/// One constant for all classes is cheaper to compile than one for each.
struct KeyNames {
    /// What tells the names from those of other files: were they the same, each file would be compiled anew where one is changed.
    private let suffix: String
    /// The constant with the names of the properties.
    let constant: String

    private struct Key: Hashable {
        var owner: String
        var name: String
    }

    private var keys: [Key] = []
    private var places: [Key: Int] = [:]
    private var taken: Set<String>

    /// - Parameter number: The file's number, from 1.
    init(file number: Int) {
        suffix = number == 1 ? "" : "\(number)"
        constant = "_managedKeys" + suffix
        taken = [constant]
    }

    /// The declaration of the constant; none where no property was asked for.
    var declarations: [String] {
        let names = keys.map(\.name).joined(separator: "\n")
        return keys.isEmpty ? [] : ["private nonisolated let \(constant) = ManagedKeys(\(SwiftName.literal(names)))"]
    }

    /// The place that the constant keeps the name of a class's property at.
    mutating func place(_ owner: String, _ name: String) -> Int {
        let key = Key(owner: owner, name: name)
        if let known = places[key] { return known }
        let place = keys.count
        keys.append(key)
        places[key] = place
        return place
    }

    /// The name of a function for a class's property, which nothing else in the file has.
    mutating func function(_ owner: String, _ key: String, _ suffix: String) -> String {
        unique("_" + KeyNames.identifier(owner + "_" + key) + "_" + suffix)
    }

    /// The name of a function that calls another one for properties of a type.
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
