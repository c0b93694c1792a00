/// The names taken in a schema or a table: in lower case, so that SQL needs no quotes, and within the server's limit of length.
struct NameRegistry {
    private var taken: Set<String>
    /// The maximum length of a name in bytes, beyond which the server truncates it.
    static let greatestLength = 63

    init(reserved: [String] = []) { taken = Set(reserved) }

    /// Takes the requested name in plain form, with a number appended where it is taken.
    mutating func take(_ name: String) -> String {
        let plain = NameRegistry.plain(name)
        var count = 1
        while true {
            let suffix = count == 1 ? "" : "_\(count)"
            let candidate = NameRegistry.cut(plain, to: NameRegistry.greatestLength - suffix.utf8.count) + suffix
            if taken.insert(candidate).inserted { return candidate }
            count += 1
        }
    }

    /// `firstName` as `first_name`, `ISBNNumber` as `isbn_number`, `place.latitude` as `place_latitude`.
    static func plain(_ name: String) -> String {
        var plain = ""
        let scalars = Array(name.unicodeScalars)
        for (index, scalar) in scalars.enumerated() where scalar != "\0" {
            if scalar == "." || scalar == " " {
                plain += "_"
                continue
            }
            let isUpper = scalar.isASCII && scalar.properties.isUppercase
            if isUpper, index > 0 {
                let before = scalars[index - 1]
                let after = index + 1 < scalars.count ? scalars[index + 1] : nil
                let startsWord = !(before.isASCII && before.properties.isUppercase) || (after?.properties.isLowercase ?? false)
                if startsWord, before.properties.isAlphabetic || before.properties.numericType != nil { plain += "_" }
            }
            if isUpper { plain += scalar.properties.lowercaseMapping } else { plain.unicodeScalars.append(scalar) }
        }
        return plain.isEmpty ? "_" : plain
    }

    /// Returns the beginning of a name, in whole characters.
    private static func cut(_ name: String, to count: Int) -> String {
        var cut = name
        while cut.utf8.count > count { cut.unicodeScalars.removeLast() }
        return cut
    }
}
