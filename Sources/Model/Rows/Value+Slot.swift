extension Value {
    /// Returns the slot's word for the value; `nil` for a value of another type, or a variable slot.
    @inline(__always)
    func word(_ kind: SlotKind) -> UInt64? {
        switch (kind, self) {
        case (.integer, .int(let number)), (.reference, .int(let number)), (.entity, .int(let number)), (.order, .int(let number)):
            UInt64(bitPattern: number)
        case (.boolean, .bool(let flag)): flag ? 1 : 0
        case (.double, .double(let number)), (.float, .double(let number)): number.bitPattern
        case (.date, .date(let date)): date.timeIntervalSinceReferenceDate.bitPattern
        default: nil
        }
    }

    /// Runs `body` with the bytes of a value in a variable slot; false for a value of another type.
    @inline(__always)
    func withBytes(_ kind: SlotKind, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        var text: String
        switch (kind, self) {
        case (.string, .string(let string)): text = string
        case (.uri, .url(let url)): text = url.absoluteString
        case (.decimal, .decimal(let number)): text = DecimalText.text(number)
        case (.uuid, .uuid(let uuid)):
            unsafe withUnsafeBytes(of: uuid.uuid) { unsafe body($0) }
            return true
        case (.binary, .data(let data)), (.transformable, .data(let data)):
            unsafe data.withUnsafeBytes { unsafe body($0) }
            return true
        default: return false
        }
        text.withUTF8 { unsafe body(UnsafeRawBufferPointer($0)) }
        return true
    }

    /// The approximate number of bytes in a row's variable area.
    public var variableSize: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        case .url(let url): url.absoluteString.utf8.count
        case .decimal: 64
        case .uuid: 16
        default: 0
        }
    }
}
