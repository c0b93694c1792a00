import StrataPlatform

enum WorkingDirectory {
    /// Its path as bytes, since one that is not UTF-8 fits no string; `nil` if it is unavailable.
    static var bytes: [UInt8]? {
        guard let text = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(text) }
        let bytes = unsafe UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
        // A directory outside of the process's root has the path `(unreachable)/…`.
        return bytes.first == UInt8(ascii: "/") ? bytes : nil
    }
}
