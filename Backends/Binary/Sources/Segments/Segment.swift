import StrataEngine

/// A save that was appended to a file: its length, the checksum of the segment before, its own checksum, and its body.
struct Segment {
    static let headerSize = 16
    /// The length of the header without its checksum.
    private static let checkedSize = 12

    /// The body, by its offsets in the file.
    let body: Range<Int>
    /// The checksum of the segment.
    let checksum: UInt32

    /// Finds the segment at an offset; `nil` where there is none that follows the one before and has the right checksum.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int, after previous: UInt32) {
        guard offset <= bytes.count else { return nil }
        let left = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...])
        var reader = unsafe ByteReader(left)
        guard let length = try? Int(exactly: reader.number(UInt64.self)), let before: UInt32 = try? reader.number(),
            let checksum: UInt32 = try? reader.number(), length & 7 == 0, length >= Segment.headerSize, length <= left.count,
            before == previous
        else { return nil }
        var crc = CRC32C()
        unsafe crc.update(with: UnsafeRawBufferPointer(rebasing: left[..<Segment.checkedSize]))
        unsafe crc.update(with: UnsafeRawBufferPointer(rebasing: left[Segment.headerSize..<length]))
        guard checksum == crc.value else { return nil }
        body = offset + Segment.headerSize..<offset + length
        self.checksum = checksum
    }

    /// Returns a segment with a body, whose length is a multiple of 8.
    static func append(_ body: [UInt8], at end: AppendPosition) -> AppendedSegment {
        var header = ByteWriter()
        header.put(UInt64(headerSize + body.count))
        header.put(end.checksum)
        var crc = CRC32C()
        crc.update(with: header.bytes)
        crc.update(with: body)
        header.put(crc.value)
        var next = end
        next.offset += headerSize + body.count
        next.checksum = crc.value
        next.number += 1
        // The other one of the two.
        next.record = end.start - (end.record == end.start - CommitRecord.size ? CommitRecord.length : CommitRecord.size)
        return AppendedSegment(
            header: header.bytes, body: body, record: next.commitRecord.bytes, recordBefore: end.commitRecord.bytes, end: next)
    }
}

/// The saves that were appended to a file.
struct SegmentList {
    /// The bodies of the segments, by their offsets in the file.
    private(set) var bodies: [Range<Int>] = []
    let end: AppendPosition

    /// Finds the segments behind the sections of a file.
    ///
    /// The newer commit record says where they end: what is behind is not committed. Where one record is damaged, its write was
    /// interrupted: the segment of that save was synchronized before, so that one must follow, and counts.
    ///
    /// - Throws: `StoreError` with `corrupt` where a committed segment, or both records, are damaged.
    init(_ sections: FileSections, _ errors: BinaryErrors) throws(StoreError) {
        let bytes = unsafe sections.file.bytes
        let start = sections.length + CommitRecord.length
        let offsets = [sections.length, sections.length + CommitRecord.size]
        let records = offsets.compactMap { offset in unsafe CommitRecord(bytes, at: offset).map { (offset: offset, record: $0) } }
        guard let newest = records.max(by: { $0.record.number < $1.record.number }) else {
            throw errors.corrupt("checksum mismatch in the commit records")
        }
        var (offset, checksum, number) = (start, sections.checksum, newest.record.number)
        while offset < newest.record.end {
            guard let segment = unsafe Segment(bytes, at: offset, after: checksum) else {
                throw errors.corrupt("checksum mismatch in a segment")
            }
            bodies.append(segment.body)
            (offset, checksum) = (segment.body.upperBound, segment.checksum)
        }
        guard offset == newest.record.end, checksum == newest.record.checksum else {
            throw errors.corrupt("checksum mismatch in a segment")
        }
        if records.count == 1 {
            while let segment = unsafe Segment(bytes, at: offset, after: checksum) {
                bodies.append(segment.body)
                (offset, checksum, number) = (segment.body.upperBound, segment.checksum, number + 1)
            }
            guard number > newest.record.number else { throw errors.corrupt("checksum mismatch in the commit records") }
        }
        let older = offsets.first { $0 != newest.offset } ?? sections.length
        end = AppendPosition(offset: offset, checksum: checksum, number: number, record: older, start: start)
    }
}
