extension String {
    /// Appends an identifier between double quotes, those in it doubled, as standard SQL writes it.
    public mutating func append(quotedIdentifier name: String) {
        self += "\""
        if name.utf8.contains(UInt8(ascii: "\"")) { self += name.replacing("\"", with: "\"\"") } else { self += name }
        self += "\""
    }
}
