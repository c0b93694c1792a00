extension StoreMetadata {
    /// The key of the registered consumers; a store with the key has a history, however it is opened.
    public static let historyKey = "StrataHistory"
    /// The key of the migrations since the history began.
    public static let historyMigrationsKey = "StrataHistoryMigrations"
    /// The key of a history whose transactions have before-images.
    public static let historyValuesKey = "StrataHistoryValues"
    /// The key of the number after which the history was begun anew.
    public static let historyBeginningKey = "StrataHistoryBeginning"
    /// The key of the number of the last transaction whose order keys are not those of the rows, as the store was converted to one that does
    /// not keep them.
    public static let historyOrdersKey = "StrataHistoryOrders"
    /// The key of the records, in stores that do not keep them otherwise.
    static let historyRecordsKey = "StrataHistoryRecords"

    /// Whether the store has a history.
    public var keepsHistory: Bool { userInfo[StoreMetadata.historyKey] != nil }

    /// Whether the transactions of the history get before-images, see ``HistoryPolicy/keepsValues``.
    public var keepsHistoryValues: Bool {
        get { userInfo[StoreMetadata.historyValuesKey] == .bool(true) }
        set { userInfo[StoreMetadata.historyValuesKey] = newValue ? .bool(true) : nil }
    }

    /// The number of the last transaction whose order keys are not those of the rows; 0 for none.
    public var lastForeignOrder: Int64 {
        get { if case .int(let number)? = userInfo[StoreMetadata.historyOrdersKey] { Int64(number) } else { 0 } }
        set { userInfo[StoreMetadata.historyOrdersKey] = newValue == 0 ? nil : .int(newValue) }
    }

    /// The records of a history, in order, in a store without a table or file of its own for them; `nil` where they are damaged.
    ///
    /// They are one value of bytes: for each record its number and its time, eight bytes each, then the origin and the
    /// body behind their lengths of four bytes, all with the least significant byte first.
    package var historyRecords: [HistoryRecord]? {
        get {
            guard let value = userInfo[StoreMetadata.historyRecordsKey] else { return [] }
            guard case .data(let packed) = value else { return nil }
            return unsafe packed.withUnsafeBytes { bytes in
                var reader = unsafe ByteReader<UInt32>(bytes)
                var records: [HistoryRecord] = []
                while !reader.isAtEnd {
                    guard let record = try? HistoryRecord(&reader), record.number > records.last?.number ?? 0 else { return nil }
                    records.append(record)
                }
                return records
            }
        }
        set {
            guard let newValue else { return }
            var writer = ByteWriter<UInt32>()
            for record in newValue { record.write(to: &writer) }
            userInfo[StoreMetadata.historyRecordsKey] = newValue.isEmpty ? nil : .data(Data(writer.bytes))
        }
    }

    /// Returns the records; throws ``StoreError`` with `corrupt` where they are damaged.
    fileprivate func soundHistoryRecords(_ operation: StoreError.Operation) throws(StoreError) -> [HistoryRecord] {
        guard let records = historyRecords else { throw StoreError(.corrupt, operation, "malformed transaction in the history") }
        return records
    }
}

extension PropertyListValue {
    /// A number of seconds; a format may have whole ones as integers.
    public var seconds: Double? {
        switch self {
        case .double(let number): number
        case .int(let number): Double(number)
        default: nil
        }
    }
}

extension HistoryRecord {
    fileprivate init(_ reader: inout ByteReader<UInt32>) throws(MalformedBytes) {
        let (number, time) = (try reader.number(Int64.self), Double(bitPattern: try reader.number()))
        let origin = unsafe Array(try reader.content())
        self.init(number: number, time: time, origin: origin, body: unsafe Array(try reader.content()))
    }

    fileprivate func write(to writer: inout ByteWriter<UInt32>) {
        writer.put(number)
        writer.put(time.bitPattern)
        writer.put(content: origin)
        writer.put(content: body)
    }
}

extension StoreTransaction {
    public func append(_ record: HistoryRecord) throws -> Int64 {
        var metadata = try metadata()
        var record = record
        let records = try metadata.soundHistoryRecords(.save)
        record.number = try record.number(after: records.last?.number ?? 0, path: nil)
        metadata.historyRecords = records + [record]
        _ = try apply(ChangeSet(metadata: metadata))
        return record.number
    }

    public func deleteHistory(through mark: HistoryRecord) throws {
        var metadata = try metadata()
        metadata.historyRecords = try [mark] + metadata.soundHistoryRecords(.save).filter { $0.number > mark.number }
        _ = try apply(ChangeSet(metadata: metadata))
    }

    public func replaceHistory(by mark: HistoryRecord) throws {
        var metadata = try metadata()
        metadata.historyRecords = [mark]
        _ = try apply(ChangeSet(metadata: metadata))
    }
}

extension HistoryRecord {
    /// Returns the number of a record that follows another one: its own, or the next one.
    ///
    /// - Throws: ``StoreError`` with `wrongValue` where its own is not greater, `tooLarge` where there is none left.
    public func number(after last: Int64, path: String?) throws(StoreError) -> Int64 {
        guard number != 0 || last < .max else {
            throw StoreError(.tooLarge, .save, "the history has no number left for a transaction", path: path)
        }
        guard number == 0 || number > last else {
            throw StoreError(.wrongValue, .save, "a transaction does not follow the last one of the history", path: path)
        }
        return number == 0 ? last + 1 : number
    }
}

extension StoreBackend {
    public func history(_ query: HistoryQuery) throws -> [HistoryRecord] {
        query.answer(try metadata().soundHistoryRecords(.fetch))
    }
}
