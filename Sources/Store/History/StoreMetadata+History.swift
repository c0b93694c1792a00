extension StoreMetadata {
    /// The key of the registered consumers; a store with the key has a history, however it is opened.
    public static let historyKey = "StrataHistory"
    /// The key of the migrations since the history began.
    public static let historyMigrationsKey = "StrataHistoryMigrations"
    /// The key of the records, in stores that do not keep them otherwise.
    static let historyRecordsKey = "StrataHistoryRecords"

    /// Whether the store has a history.
    public var keepsHistory: Bool { userInfo[StoreMetadata.historyKey] != nil }

    /// The records of a history, in order, in a store without a table or file of its own for them.
    package var historyRecords: [HistoryRecord] {
        get { historyValues.compactMap { HistoryRecord($0) } }
        set { historyValues = newValue.map(\.value) }
    }

    fileprivate var historyValues: [PropertyListValue] {
        get { if case .array(let records)? = userInfo[StoreMetadata.historyRecordsKey] { records } else { [] } }
        set { userInfo[StoreMetadata.historyRecordsKey] = newValue.isEmpty ? nil : .array(newValue) }
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
    init?(_ value: PropertyListValue) {
        guard case .array(let list) = value, list.count == 4, case .int(let number) = list[0], let time = list[1].seconds,
            case .data(let origin) = list[2], case .data(let body) = list[3]
        else { return nil }
        self.init(number: number, time: time, origin: Array(origin), body: Array(body))
    }

    var value: PropertyListValue { .array([.int(number), .double(time), .data(Data(origin)), .data(Data(body))]) }
}

extension StoreTransaction {
    public func append(_ record: HistoryRecord) throws -> Int64 {
        var metadata = try metadata()
        var record = record
        let last = metadata.historyValues.last.flatMap { HistoryRecord($0) }?.number ?? 0
        record.number = try record.number(after: last, path: nil)
        metadata.historyValues.append(record.value)
        _ = try apply(ChangeSet(metadata: metadata))
        return record.number
    }

    public func deleteHistory(through mark: HistoryRecord) throws {
        var metadata = try metadata()
        metadata.historyRecords = [mark] + metadata.historyRecords.filter { $0.number > mark.number }
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
        query.answer(try metadata().historyRecords)
    }
}
