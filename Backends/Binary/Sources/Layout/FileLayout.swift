import StrataFiles

typealias ByteReader = StrataFiles.ByteReader<UInt32>
typealias ByteWriter = StrataFiles.ByteWriter<UInt32>

/// The fixed parts of the format, in which all numbers are little-endian.
enum FileLayout {
    /// The first bytes: one outside ASCII, a name, and the line ends that text conversion changes.
    static let magic: [UInt8] = [0x89, 0x53, 0x54, 0x52, 0x41, 0x0D, 0x0A, 0x1A]
    /// The last bytes, the first ones backwards: a truncated file does not end with them.
    static let endMagic: [UInt8] = [0x1A, 0x0A, 0x0D, 0x41, 0x52, 0x54, 0x53, 0x89]
    static let version: UInt32 = 2
    /// The version without blocks, appended saves and a section for the history; it is read only.
    static let wholeVersion: UInt32 = 1
    /// Detects files that were written in another byte order.
    static let byteOrderMark: UInt32 = 0x0102_0304

    static let headerSize = 32
    static let sectionEntrySize = 24
    static func trailerSize(_ version: UInt32 = version) -> Int { sections(version).count * sectionEntrySize + 32 }

    /// The sections of a version, in order.
    static func sections(_ version: UInt32) -> [Section] {
        version == wholeVersion ? Array(Section.allCases.prefix(6)) : Section.allCases
    }

    enum Section: UInt32, CaseIterable {
        case schema = 1
        case metadata
        case hierarchies
        case rows
        case links
        case external
        case blocks
        case history
    }

    /// The length of a block's entry in its section.
    static let blockSize = 32

    static let linkSize = 40
    /// The length of an entity hierarchy's entry in its section.
    static let hierarchySize = 40

    /// Returns the number of bytes that pad a length to a multiple of eight.
    static func padding(_ count: Int) -> Int { -count & 7 }
}
