import DebianArchive
import Foundation

/// How raw LMDB packs the rows of the archive; the numbers that scans look at stand first.
enum LMDBRecords {
    static func pack(_ row: Version, _ writer: inout RecordWriter) {
        for value in [row.package, row.section, row.maintainer, row.installedSize, row.size] { writer.put(value) }
        writer.put(row.summary)
        writer.put(row.version)
        writer.put(row.architecture)
        writer.put(row.priority)
        writer.put(row.homepage)
        writer.put(row.sha256)
    }

    static func version(_ id: Int64, _ bytes: UnsafeRawBufferPointer) -> Version {
        var reader = RecordReader(bytes)
        return version(id, &reader)
    }

    static func version(_ id: Int64, _ reader: inout RecordReader) -> Version {
        let package = reader.integer()
        let section = reader.integer()
        let maintainer = reader.integer()
        let installedSize = reader.integer()
        let size = reader.integer()
        let summary = reader.text()
        return Version(
            id: id,
            package: package,
            section: section,
            maintainer: maintainer,
            version: reader.text(),
            architecture: reader.text(),
            priority: reader.text(),
            summary: summary,
            homepage: reader.optionalText(),
            installedSize: installedSize,
            size: size,
            sha256: reader.array(),
            tags: []
        )
    }

    static func summary(of bytes: UnsafeRawBufferPointer, contains word: [UInt8]) -> Bool {
        let length = Int(bytes.loadUnaligned(fromByteOffset: 40, as: UInt32.self))
        guard let base = bytes.baseAddress, let first = word.first else { return false }
        var start = base + 44
        let end = start + length
        while start + word.count <= end, let hit = memchr(start, Int32(first), start.distance(to: end) - word.count + 1) {
            if memcmp(hit, word, word.count) == 0 { return true }
            start = UnsafeRawPointer(hit) + 1
        }
        return false
    }

    static func pack(_ row: Dependency, _ writer: inout RecordWriter) {
        for value in [row.version, row.target ?? 0, row.kind, row.group, row.alternative] { writer.put(value) }
        writer.put(row.targetName)
        writer.put(row.relation)
        writer.put(row.constraint)
    }

    static func dependency(_ id: Int64, _ bytes: UnsafeRawBufferPointer) -> Dependency {
        var reader = RecordReader(bytes)
        return dependency(id, &reader)
    }

    static func dependency(_ id: Int64, _ reader: inout RecordReader) -> Dependency {
        let version = reader.integer()
        let target = reader.integer()
        return Dependency(
            id: id,
            version: version,
            kind: reader.integer(),
            group: reader.integer(),
            alternative: reader.integer(),
            targetName: reader.text(),
            target: target == 0 ? nil : target,
            relation: reader.text(),
            constraint: reader.text()
        )
    }
}
