import FoundationEssentials

/// What fills the slots of a row that is being written.
protocol SlotFilling {
    /// Fills a slot that is not variable.
    mutating func store(_ word: UInt64, at slot: Slot)

    /// Fills a variable slot.
    mutating func store(_ bytes: UnsafeRawBufferPointer, at slot: Slot)
}

extension SlotFilling {
    /// Fills a text slot.
    @inline(__always)
    mutating func fill(text: String, at slot: Slot) {
        var text = text
        text.withUTF8 { unsafe store(UnsafeRawBufferPointer($0), at: slot) }
    }

    /// Fills a slot with a value of its kind.
    ///
    /// - Returns: Whether it is of its kind; else the slot is left as it is.
    @inline(__always)
    mutating func fill(_ value: Value, at slot: Slot, _ kind: SlotKind) -> Bool {
        switch (kind, value) {
        case (.integer, .int(let number)), (.reference, .int(let number)), (.entity, .int(let number)), (.order, .int(let number)):
            store(UInt64(bitPattern: number), at: slot)
        case (.boolean, .bool(let flag)): store(flag ? 1 : 0, at: slot)
        case (.double, .double(let number)), (.float, .double(let number)): store(number.bitPattern, at: slot)
        case (.date, .date(let date)): store(date.timeIntervalSinceReferenceDate.bitPattern, at: slot)
        case (.string, .string(let text)): fill(text: text, at: slot)
        case (.uri, .url(let url)): fill(text: url.absoluteString, at: slot)
        case (.decimal, .decimal(let number)): fill(text: DecimalText.text(number), at: slot)
        case (.uuid, .uuid(let uuid)): unsafe withUnsafeBytes(of: uuid.uuid) { unsafe store($0, at: slot) }
        case (.binary, .data(let data)), (.transformable, .data(let data)): unsafe data.withUnsafeBytes { unsafe store($0, at: slot) }
        default: return false
        }
        return true
    }
}
