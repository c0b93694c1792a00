extension PackageStanza {
    /// The stanza in the index's own format, without the empty line that ends it.
    public var text: String {
        var lines = ["Package: \(package)", "Version: \(version)"]
        func add(_ field: String, _ value: String) {
            if !value.isEmpty { lines.append("\(field): \(value)") }
        }
        if installedSize != 0 { add("Installed-Size", "\(installedSize)") }
        add("Maintainer", maintainer.email.isEmpty ? maintainer.name : "\(maintainer.name) <\(maintainer.email)>")
        add("Architecture", architecture)
        for kind in DependencyKind.allCases {
            add(kind.field, dependencies.filter { $0.kind == kind }.map(\.text).joined(separator: ", "))
        }
        add("Description", summary)
        add("Homepage", homepage ?? "")
        add("Tag", tags.joined(separator: ",\n "))
        add("Section", section)
        add("Priority", priority)
        if size != 0 { add("Size", "\(size)") }
        add("SHA256", Self.hexadecimal(sha256))
        return lines.joined(separator: "\n") + "\n"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}

extension DependencyGroup {
    fileprivate var text: String {
        alternatives.map { $0.relation.isEmpty ? $0.name : "\($0.name) (\($0.relation) \($0.version))" }.joined(separator: " | ")
    }
}
