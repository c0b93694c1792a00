import StrataFiles
import StrataPlatform

/// A path with the same meaning in every process, as bytes, which need not be UTF-8 and might not fit a string.
struct AbsolutePath: Hashable, CustomStringConvertible {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Creates the absolute form of a path in this process.
    init(_ path: String) {
        let slash = UInt8(ascii: "/")
        guard path.utf8.first != slash, let directory = AbsolutePath.workingDirectory else {
            self.init(bytes: Array(path.utf8))
            return
        }
        self.init(bytes: directory + (directory.last == slash ? [] : [slash]) + Array(path.utf8))
    }

    /// The path for this process: relative to the working directory where nothing else is UTF-8; `nil` where that is
    /// impossible.
    var usable: String? {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        guard let directory = AbsolutePath.workingDirectory, bytes.starts(with: directory) else { return nil }
        let rest = bytes.dropFirst(directory.count).drop { $0 == UInt8(ascii: "/") }
        return bytes.count > directory.count + 1 ? String(validating: rest, as: UTF8.self) : nil
    }

    /// Returns the path for this process.
    ///
    /// - Throws: `FileError` with `EILSEQ` where the process has left a directory whose path is not UTF-8.
    func path() throws(FileError) -> String {
        guard let usable else { throw FileError(.open, path: description, code: EILSEQ) }
        return usable
    }

    var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the path of `other` if it moved together with this one, which is at `current`; `nil` where they did not.
    func following(_ current: AbsolutePath, to other: AbsolutePath) -> AbsolutePath? {
        let (own, others, now) = (components, other.components, current.components)
        let shared = zip(own.dropLast(), others.dropLast()).prefix { $0 == $1 }.count
        let rest = own[shared...]
        guard now.suffix(rest.count).elementsEqual(rest) else { return nil }
        return AbsolutePath(bytes: (now.dropLast(rest.count) + others[shared...]).flatMap { [UInt8(ascii: "/")] + $0 })
    }

    /// The path of the working directory, as bytes since one that is not UTF-8 fits no string; `nil` if unavailable.
    private static var workingDirectory: [UInt8]? {
        guard let text = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(text) }
        let bytes = unsafe UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
        // A directory outside of the process's root has the path `(unreachable)/…`.
        return bytes.first == UInt8(ascii: "/") ? bytes : nil
    }

    private var components: [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual([UInt8(ascii: ".")]) }
    }
}
