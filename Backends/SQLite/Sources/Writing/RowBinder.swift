import StrataEngine
import StrataSQL

/// Binds the slots of rows of one entity to the parameters of a statement.
struct RowBinder {
    private struct Transfer {
        let slot: Slot
        let kind: SlotKind
        let isExternal: Bool
    }

    /// The columns, in the order of the parameters.
    let columns: [String]
    private let transfers: [Transfer]
    private let numbers: [Int]

    /// A binder of some of an entity's slots.
    ///
    /// - Throws: `StoreError` with `unsupported` where the table of a store of Core Data's lacks a column.
    init(_ slots: some Sequence<Slot>, of entity: EntityDescription, _ table: EntityTable, _ store: SQLiteStore) throws {
        var columns: [String] = []
        var transfers: [Transfer] = []
        for slot in slots {
            guard entity.layout.slots.typedIndices().contains(slot) else {
                throw StoreError(.unknownKey, .save, "there is no slot \(slot)", path: store.path, entity: entity.name)
            }
            let column = table.column(slot, of: entity.index)
            if column.isOurs && !column.isPresent { continue }
            guard column.isPresent else {
                throw StoreError(
                    .unsupported, .save, "the store's table has no column for it", path: store.path, entity: entity.name,
                    key: column.property)
            }
            columns.append(column.name)
            transfers.append(Transfer(slot: slot, kind: column.kind, isExternal: column.isExternal))
        }
        self.columns = columns
        self.transfers = transfers
        numbers = store.schema.numbers
    }

    /// Binds a row's slots to the parameters from `first` on; the row has to live until the statement has run.
    func bind(_ row: Row, to statement: Statement, from first: Int, _ transaction: SQLiteTransaction) throws {
        var index = first
        for transfer in transfers {
            defer { index += 1 }
            if !row.isNull(transfer.slot) {
                try bind(transfer, row, statement, index, transaction)
                continue
            }
            if row.rawWord(transfer.slot) != 0, transfer.kind.isVariable {
                if try bindLost(transfer, row, statement, index, transaction) { continue }
                try ExternalStorage.requireAvailable(row, transfer.slot, for: .save)
            }
            statement.bindNull(at: index)
        }
    }

    /// Binds the name of the file of a value that could not be read.
    ///
    /// A column of bytes that is no longer external stores the name as text, which no value of such a column is.
    ///
    /// - Returns: Whether there is such a name.
    private func bindLost(
        _ transfer: Transfer, _ row: Row, _ statement: Statement, _ index: Int, _ transaction: SQLiteTransaction
    ) throws -> Bool {
        // The file may be restored where this store's rows reference it.
        guard let name = ExternalStorage.nameOfLost(row, transfer.slot, in: transaction.store.external) else { return false }
        if transfer.isExternal {
            try statement.bindBlobCopy(ExternalTag.content(forFile: name) + [0], at: index)
        } else if transfer.kind == .binary || transfer.kind == .transformable {
            try unsafe ExternalTag.content(forFile: name).withUnsafeBytes { try unsafe statement.bindTextCopy($0, at: index) }
        } else {
            return false
        }
        return true
    }

    @inline(__always)
    private func bind(
        _ transfer: Transfer, _ row: Row, _ statement: Statement, _ index: Int, _ transaction: SQLiteTransaction
    ) throws {
        let slot = transfer.slot
        switch transfer.kind {
        case .integer, .boolean, .reference, .order: statement.bind(Int64(bitPattern: row.rawWord(slot)), at: index)
        case .double, .float, .date:
            let number = Double(bitPattern: row.rawWord(slot))
            if number.isNaN {
                let text = unsafe UnsafeRawBufferPointer(
                    start: RowBinder.notANumber.utf8Start, count: RowBinder.notANumber.utf8CodeUnitCount)
                try unsafe statement.bindText(text, at: index)
            } else {
                statement.bind(number, at: index)
            }
        case .string, .uri: if let bytes = unsafe row.bytes(slot) { try unsafe statement.bindText(bytes, at: index) }
        case .uuid: if let bytes = unsafe row.bytes(slot) { try unsafe statement.bindBlob(bytes, at: index) }
        case .binary, .transformable:
            guard let bytes = unsafe row.bytes(slot) else { return }
            if transfer.isExternal {
                try unsafe statement.bindBlobCopy(transaction.content(of: bytes), at: index)
            } else {
                try unsafe statement.bindBlob(bytes, at: index)
            }
        case .decimal: if let bytes = unsafe row.bytes(slot) { try unsafe DecimalColumn.bind(bytes, to: statement, at: index) }
        case .entity:
            let entity = EntityIndex(Int64(bitPattern: row.rawWord(slot)))
            if numbers.typedIndices().contains(entity) {
                statement.bind(Int64(numbers[entity]), at: index)
            } else {
                statement.bindNull(at: index)
            }
        }
    }

    private static let notANumber: StaticString = "NaN"
}
