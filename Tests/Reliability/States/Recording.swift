import Foundation

/// What the preloaded library recorded: everything a process did to the disk, and what it promised meanwhile.
struct Recording {
    /// One change.
    ///
    /// Paths are relative to the watched directory.
    enum Event {
        case open(descriptor: Int32, path: String, flags: Int32, isNew: Bool)
        case close(descriptor: Int32)
        case write(descriptor: Int32, offset: Int, bytes: [UInt8])
        case synchronize(descriptor: Int32)
        case resize(descriptor: Int32, size: Int)
        case grow(descriptor: Int32, size: Int)
        case rename(from: String, to: String)
        case link(from: String, to: String)
        case unlink(path: String)
        case makeDirectory(path: String)
        case removeDirectory(path: String)
        case mapForWriting(path: String)
        case mark(String)

        /// Whether a loss of power after it may leave something else than before.
        var changesDisk: Bool {
            switch self {
            case .open(_, _, _, let isNew): isNew
            case .close, .mapForWriting: false
            default: true
            }
        }
    }

    private(set) var events: [Event] = []

    struct Damaged: Error {}

    /// Reads a recording of what happened below a directory.
    init(at path: String, directory: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var position = 0
        func number(_ offset: Int, _ length: Int) -> Int {
            (0..<length).reversed().reduce(0) { $0 << 8 | Int(bytes[position + offset + $1]) }
        }
        func relative(_ text: String) -> String { String(text.dropFirst(directory.count + 1)) }
        while position < bytes.count {
            guard position + 24 <= bytes.count else { throw Damaged() }
            let operation = bytes[position]
            let descriptor = Int32(truncatingIfNeeded: number(4, 4))
            let offset = number(8, 8)
            let (textEnd, dataEnd) = (position + 24 + number(16, 4), position + 24 + number(16, 4) + number(20, 4))
            guard dataEnd <= bytes.count else { throw Damaged() }
            let text = String(decoding: bytes[(position + 24)..<textEnd], as: UTF8.self)
            let data = bytes[textEnd..<dataEnd]
            position = dataEnd
            let path = relative(text)
            switch UnicodeScalar(operation) {
            case "o", "c":
                let flags = Int32(truncatingIfNeeded: offset)
                events.append(.open(descriptor: descriptor, path: path, flags: flags, isNew: operation == UInt8(ascii: "c")))
            case "x": events.append(.close(descriptor: descriptor))
            case "w": events.append(.write(descriptor: descriptor, offset: offset, bytes: [UInt8](data)))
            case "s": events.append(.synchronize(descriptor: descriptor))
            case "t": events.append(.resize(descriptor: descriptor, size: offset))
            case "g": events.append(.grow(descriptor: descriptor, size: offset))
            case "r": events.append(.rename(from: path, to: relative(String(decoding: data, as: UTF8.self))))
            case "l": events.append(.link(from: path, to: relative(String(decoding: data, as: UTF8.self))))
            case "u": events.append(.unlink(path: path))
            case "m": events.append(.makeDirectory(path: path))
            case "d": events.append(.removeDirectory(path: path))
            case "p": events.append(.mapForWriting(path: path))
            case "k": events.append(.mark(text))
            default: throw Damaged()
            }
        }
    }
}
