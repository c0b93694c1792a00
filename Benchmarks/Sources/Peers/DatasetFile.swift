package import DebianArchive
package import Foundation

/// A dataset as packed rows, so that a measuring process need not parse the index, which takes as long as an import.
package enum DatasetFile {
    package static func write(_ dataset: Dataset, to url: URL) throws {
        var writer = RecordWriter()
        func put<Row>(_ rows: [Row], _ pack: (Row) -> Void) {
            writer.put(Int64(rows.count))
            for row in rows { pack(row) }
        }
        put(dataset.sections) { writer.put($0.name) }
        put(dataset.maintainers) {
            writer.put($0.name)
            writer.put($0.email)
        }
        put(dataset.tags) { writer.put($0.name) }
        put(dataset.packages) { writer.put($0.name) }
        put(dataset.versions) {
            LMDBRecords.pack($0, &writer)
            put($0.tags) { writer.put($0) }
        }
        put(dataset.dependencies) { LMDBRecords.pack($0, &writer) }
        try Data(writer.bytes).write(to: url)
    }

    package static func read(_ url: URL) throws -> Dataset {
        try Data(contentsOf: url, options: .alwaysMapped).withUnsafeBytes { bytes in
            var reader = RecordReader(bytes)
            func rows<Row>(_ unpack: (Int64) -> Row) -> [Row] {
                let count = reader.integer()
                return (0..<count).map { unpack($0 + 1) }
            }
            var dataset = Dataset([])
            for _ in 0..<reader.integer() { dataset.sections.append(name: reader.text()) }
            for _ in 0..<reader.integer() { dataset.maintainers.append(name: reader.text(), email: reader.text()) }
            for _ in 0..<reader.integer() { dataset.tags.append(name: reader.text()) }
            for _ in 0..<reader.integer() { dataset.packages.append(name: reader.text()) }
            dataset.versions = rows {
                var version = LMDBRecords.version($0, &reader)
                version.tags = rows { _ in reader.integer() }
                return version
            }
            dataset.dependencies = rows { LMDBRecords.dependency($0, &reader) }
            return dataset
        }
    }
}
