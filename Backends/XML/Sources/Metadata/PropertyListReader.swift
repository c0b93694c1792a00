import StrataStore

/// Builds a property list from its elements.
struct PropertyListReader {
    /// An open array or dictionary.
    private struct Frame {
        let isArray: Bool
        var items: [PropertyListValue] = []
        var values: [String: PropertyListValue] = [:]
        var key: String?
        var isAwaitingKey: Bool { !isArray && key == nil }
    }

    private var frames: [Frame] = []
    private(set) var value: PropertyListValue?

    /// Begins an element; false for a misplaced one.
    mutating func begin(_ name: String) -> Bool {
        guard (name == "key") == (frames.last?.isAwaitingKey ?? false), value == nil else { return false }
        switch name {
        case "dict", "array":
            frames.append(Frame(isArray: name == "array"))
            // The outermost one holds all values.
            return frames.count <= StoreMetadata.greatestNestingRead + 1
        case "key", "string", "integer", "real", "true", "false", "date", "data": return true
        default: return false
        }
    }

    /// Ends an element with a text; false for a malformed value.
    mutating func end(_ name: String, _ text: UnsafeRawBufferPointer) -> Bool {
        switch name {
        case "dict":
            guard let frame = frames.popLast(), frame.isAwaitingKey else { return false }
            return add(.dictionary(frame.values))
        case "array":
            guard let frame = frames.popLast(), frame.isArray else { return false }
            return add(.array(frame.items))
        case "key":
            guard let key = unsafe TextEscape.decoded(text), let frame = frames.last, frame.values[key] == nil else { return false }
            frames[frames.count - 1].key = key
            return true
        case "string": return unsafe add(TextEscape.decoded(text).map { .string($0) })
        case "integer": return unsafe add(NumberText.integer(text).map { .int($0) })
        case "real": return unsafe add(NumberText.double(text).map { .double($0) })
        case "true": return add(.bool(true))
        case "false": return add(.bool(false))
        case "date": return unsafe add(PropertyListDate.date(text).map { .date($0) })
        default:
            var bytes = ByteBuffer()
            guard unsafe Base64.appendDecoded(text, to: &bytes) else { return false }
            return unsafe add(.data(Data(bytes.bytes)))
        }
    }

    private mutating func add(_ value: PropertyListValue?) -> Bool {
        guard let value else { return false }
        let last = frames.count - 1
        if last < 0 {
            self.value = value
        } else if frames[last].isArray {
            frames[last].items.append(value)
        } else if let key = frames[last].key {
            frames[last].values[key] = value
            frames[last].key = nil
        } else {
            return false
        }
        return true
    }
}

/// The dates in the metadata: `2006-12-01T13:04:05Z`; those with fractions as seconds since 2001.
enum PropertyListDate {
    static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        guard seconds == seconds.rounded(), abs(seconds) < 6e10 else {
            var buffer = ByteBuffer()
            NumberText.append(seconds, to: &buffer)
            return unsafe String(decoding: buffer.bytes, as: UTF8.self)
        }
        return date.formatted(.iso8601)
    }

    static func date(_ text: UnsafeRawBufferPointer) -> Date? {
        if let seconds = unsafe NumberText.double(text) { return Date(timeIntervalSinceReferenceDate: seconds) }
        return try? unsafe Date(String(decoding: NumberText.trimmed(text), as: UTF8.self), strategy: .iso8601)
    }
}
