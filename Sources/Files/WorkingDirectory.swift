import StrataPlatform

/// The working directory of the process.
package enum WorkingDirectory {
    /// Its path as bytes, for one that is not UTF-8 fits no string; `nil` where the system does not tell.
    package static var bytes: [UInt8]? {
        guard let text = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(text) }
        let bytes = unsafe UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
        // What lies outside of the process's root is told as `(unreachable)/…`.
        return bytes.first == UInt8(ascii: "/") ? bytes : nil
    }
}
