import StrataFiles
import StrataStore

/// The records of the history.
enum HistorySection {
    static func read(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) -> [HistoryRecord] {
        var reader = unsafe ByteReader(bytes)
        var records: [HistoryRecord] = []
        if reader.left == 0 { return [] }
        for _ in 0..<(try reader.count(ofSize: 24)) { records.append(try record(&reader)) }
        try reader.end()
        return records
    }

    static func record(_ reader: inout ByteReader) throws(MalformedBytes) -> HistoryRecord {
        let number: Int64 = try reader.number()
        let time = Double(bitPattern: try reader.number())
        let origin = unsafe Array(try reader.content())
        return unsafe HistoryRecord(number: number, time: time, origin: origin, body: Array(try reader.content()))
    }

    static func write(_ records: [HistoryRecord], to writer: inout ByteWriter) {
        if records.isEmpty { return }
        writer.put(count: records.count)
        for record in records { write(record, to: &writer) }
    }

    static func write(_ record: HistoryRecord, to writer: inout ByteWriter) {
        writer.put(record.number)
        writer.put(record.time.bitPattern)
        writer.put(content: record.origin)
        writer.put(content: record.body)
    }
}
