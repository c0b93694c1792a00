/// The spelling that a row has decimal numbers in.
enum DecimalSpelling {
    /// Whether a text is a decimal number without superfluous digits, so that it need not be read and written again.
    static func isCanonical(_ text: UnsafeRawBufferPointer) -> Bool {
        var index = text.first == UInt8(ascii: "-") ? 1 : 0
        guard text.count > index, text.count - index <= 30 else { return false }
        let first = index
        while index < text.count, text[index] >= 48, text[index] <= 57 { index += 1 }
        guard index > first, text[first] != 48 || index == first + 1 else { return false }
        if index == text.count { return text[first] != 48 || first == 0 }
        guard text[index] == UInt8(ascii: ".") else { return false }
        index += 1
        let decimals = index
        while index < text.count, text[index] >= 48, text[index] <= 57 { index += 1 }
        return index == text.count && index > decimals && text[index - 1] != 48
    }
}
