/// The canonical spelling of decimal numbers in rows.
enum DecimalSpelling {
    /// Returns whether a text is a decimal number without superfluous digits, so that it need not be converted.
    static func isCanonical(_ text: UnsafeRawBufferPointer) -> Bool {
        var index = unsafe text.first == UInt8(ascii: "-") ? 1 : 0
        guard text.count > index, text.count - index <= 30 else { return false }
        let first = index
        while index < text.count, unsafe text[index] >= 48, unsafe text[index] <= 57 { index += 1 }
        guard index > first, unsafe text[first] != 48 || index == first + 1 else { return false }
        if index == text.count { return unsafe text[first] != 48 || first == 0 }
        guard unsafe text[index] == UInt8(ascii: ".") else { return false }
        index += 1
        let decimals = index
        while index < text.count, unsafe text[index] >= 48, unsafe text[index] <= 57 { index += 1 }
        return unsafe index == text.count && index > decimals && text[index - 1] != 48
    }
}
