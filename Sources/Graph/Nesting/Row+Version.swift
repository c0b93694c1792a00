import StrataModel

extension Row {
    /// The same row as one of another version.
    func copy(ofVersion version: UInt32) -> Row {
        var writer = RowWriter(forOneRowOf: byteCount)
        return writer.copy(self, version: version)
    }
}
