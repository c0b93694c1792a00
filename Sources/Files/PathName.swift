/// Functions that divide and join paths by bytes: a path component may hold anything but `/`.
public enum PathName {
    /// Returns the directory that holds the last component: `.` for a bare name, `/` for the root.
    public static func parent(of path: String) -> String {
        let trimmed = withoutTrailingSlashes(path)
        guard let slash = trimmed.utf8.lastIndex(of: UInt8(ascii: "/")) else { return trimmed.isEmpty ? path : "." }
        let parent = withoutTrailingSlashes(trimmed[..<slash])
        return parent.isEmpty ? "/" : String(parent)
    }

    /// Returns the last component.
    public static func last(of path: String) -> String {
        let trimmed = withoutTrailingSlashes(path)
        guard let slash = trimmed.utf8.lastIndex(of: UInt8(ascii: "/")) else { return String(trimmed) }
        return String(trimmed[trimmed.utf8.index(after: slash)...])
    }

    /// Returns the last component without its extension; a leading dot begins no extension.
    public static func stem(of path: String) -> String {
        let name = last(of: path)
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// Returns the path of `name` inside `directory`.
    public static func joining(_ directory: String, _ name: String) -> String {
        if directory == "." { return name }
        return directory.utf8.last == UInt8(ascii: "/") ? directory + name : directory + "/" + name
    }

    /// Returns a name as it is, or, where it is longer than `limit` bytes, its first `kept` bytes and its checksum.
    ///
    /// For names derived from another file's: a component may have 255 bytes.
    public static func shortened(_ name: String, over limit: Int, keeping kept: Int) -> String {
        let utf8 = Array(name.utf8)
        guard utf8.count > limit else { return name }
        var cut = kept
        while cut > 0, utf8[cut] & 0xC0 == 0x80 { cut -= 1 }
        return "\(String(decoding: utf8[..<cut], as: UTF8.self))~\(String(CRC32C.checksum(of: utf8), radix: 16))"
    }

    private static func withoutTrailingSlashes(_ path: some StringProtocol) -> Substring {
        var rest = Substring(path)
        while rest.utf8.last == UInt8(ascii: "/") { rest = Substring(rest.utf8.dropLast()) }
        return rest
    }
}
