/// A save as a codec appends it to a store's file.
public struct TableSave: Sendable {
    /// A step of a save.
    public enum Step: Sendable {
        /// Deletions, then updated and inserted rows, then links.
        case changes(ChangeSet)
        /// A record that the history gets.
        case record(HistoryRecord)
        /// The mark that replaces the first records of the history.
        case deleteHistory(HistoryRecord)
    }

    /// What the save changes, in the order in which it was applied.
    public var steps: [Step]
    /// The metadata after the save, without the lineage and the history; `nil` where they are unchanged.
    public var metadata: StoreMetadata?
    /// The value of `StoreMetadata.savesKey` after the save.
    public var lineage: PropertyListValue
    /// The greatest reserved references that the save changes, by the index of the root entity.
    public var lastReference: [EntityIndex: Int64] = [:]

    /// Creates a save of some steps.
    public init(_ steps: [Step], lineage: PropertyListValue) {
        self.steps = steps
        self.lineage = lineage
    }

    /// The change sets among the steps.
    var changes: [ChangeSet] { steps.compactMap { if case .changes(let changes) = $0 { changes } else { nil } } }
}

/// The end of the last save in a store's file, where the next one is appended.
public struct AppendPosition: Sendable {
    /// The offset of the next segment.
    public var offset: Int
    /// The checksum that the next segment continues.
    public var checksum: UInt32
    /// The number of saves that were appended to the file.
    public var number: UInt64
    /// The offset of the older one of the two commit records, which the next save overwrites.
    public var record: Int
    /// The offset of the first segment.
    public let start: Int

    /// The length up to which segments are appended to a small file.
    private static let smallLength = 64 << 10

    /// Creates the end of a file.
    public init(offset: Int, checksum: UInt32, number: UInt64, record: Int, start: Int) {
        (self.offset, self.checksum, self.number, self.record, self.start) = (offset, checksum, number, record, start)
    }

    /// How many bytes may be appended before the file is written as a whole: until half of it is segments.
    var room: Int { max(start, AppendPosition.smallLength) - (offset - start) }
}

/// A packed save.
public struct AppendedSegment: Sendable {
    /// The first bytes at the end of the file, without which no reader takes the rest for a save.
    public let header: [UInt8]
    /// The bytes behind the header.
    public let body: [UInt8]
    /// The commit record, which is written after header and body were synchronized: with it the file has the save.
    public let record: [UInt8]
    /// The record of the save before, which is written instead where the commit fails.
    public let recordBefore: [UInt8]
    /// The end of the file after the save.
    public let end: AppendPosition

    /// Creates a segment.
    public init(header: [UInt8], body: [UInt8], record: [UInt8], recordBefore: [UInt8], end: AppendPosition) {
        (self.header, self.body, self.record, self.recordBefore, self.end) = (header, body, record, recordBefore, end)
    }
}
