extension Int {
    /// Returns the number with its noun: "1 byte", "2 bytes".
    package func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}
