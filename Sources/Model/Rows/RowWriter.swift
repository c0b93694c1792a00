import StrataPlatform

/// Packs rows, one after the other, into chunks of memory.
///
/// ```swift
/// var writer = RowWriter()
/// writer.begin(entity, reference: 7, version: 1)
/// writer.set(value, at: slot, kind)
/// let row = writer.finish()
/// ```
/// Slots that are not set hold no value. A writer is used by one thread at a time; the rows it made go anywhere.
// Safe: every write is within the reserved part of the chunk, which the writer keeps alive.
@safe public struct RowWriter {
    private var chunk: RowChunk
    // The chunk's memory and its length, stored here so that setting a slot needs no access to the chunk.
    private var memory: UnsafeMutableRawPointer
    private var limit: Int
    private var start = 0
    private var end = 0
    private var nextChunkSize: Int
    private let chunkSize: Int

    private static let (leastChunk, greatestChunk) = (1024, 64 * 1024)

    /// Creates a writer whose chunks grow from 1 to 64 KB, or to one larger row: few rows keep little memory alive.
    public init() { self.init(growingFrom: RowWriter.leastChunk, to: RowWriter.greatestChunk) }

    /// Creates a writer that allocates chunks of `chunkSize` bytes, or of one larger row.
    public init(chunkSize: Int) { self.init(growingFrom: chunkSize, to: chunkSize) }

    private init(growingFrom least: Int, to greatest: Int) {
        (nextChunkSize, chunkSize) = (least, greatest)
        // Most writers of small saves write nothing: the first row allocates.
        chunk = RowChunk.empty
        unsafe memory = chunk.base
        limit = 0
    }

    /// Creates a writer for rows that keep at most about one row's memory alive.
    public init(forOneRowOf byteCount: Int) { self.init(chunkSize: byteCount + 8) }

    /// Starts a row without values.
    public mutating func begin(_ layout: RowLayout, entityIndex: EntityIndex, reference: Int64, version: UInt32) {
        let size = layout.fixedSize
        end = start
        reserve(size)
        let base = unsafe memory + start
        unsafe memset(base, 0, size)
        unsafe base.storeBytes(of: UInt32(truncatingIfNeeded: entityIndex.rawValue), toByteOffset: 4, as: UInt32.self)
        unsafe base.storeBytes(of: reference, toByteOffset: 8, as: Int64.self)
        unsafe base.storeBytes(of: version, toByteOffset: 16, as: UInt32.self)
        end = start + size
    }

    /// Starts a row of an entity without values.
    public mutating func begin(_ entity: EntityDescription, reference: Int64, version: UInt32) {
        begin(entity.layout, entityIndex: entity.index, reference: reference, version: version)
    }

    /// Sets the word for the store's use, of the row that was begun last.
    public mutating func set(storeWord: UInt32) { unsafe (memory + start).storeBytes(of: storeWord, toByteOffset: 20, as: UInt32.self) }

    /// Fills an integer, boolean, reference, entity or order slot.
    public mutating func set(integer: Int64, at slot: Slot) { store(UInt64(bitPattern: integer), at: slot) }

    /// Fills an order slot.
    public mutating func set(order: OrderKey, at slot: Slot) { set(integer: order.rawValue, at: slot) }

    /// Fills a double, float or date slot.
    public mutating func set(double: Double, at slot: Slot) { store(double.bitPattern, at: slot) }

    /// Fills a variable slot.
    public mutating func set(bytes: UnsafeRawBufferPointer, at slot: Slot) {
        reserve(bytes.count)
        if let source = bytes.baseAddress, unsafe !bytes.isEmpty { unsafe memcpy(memory + end, source, bytes.count) }
        store(UInt64(end - start) | UInt64(bytes.count) << 32, at: slot)
        end += bytes.count
    }

    /// Fills a text slot.
    public mutating func set(text: String, at slot: Slot) {
        var text = text
        text.withUTF8 { unsafe set(bytes: UnsafeRawBufferPointer($0), at: slot) }
    }

    /// Fills a slot with a value of its kind; leaves it empty for ``Value/null`` and for a value of another kind.
    public mutating func set(_ value: Value, at slot: Slot, _ kind: SlotKind) {
        if let word = value.word(kind) { return store(word, at: slot) }
        _ = unsafe value.withBytes(kind) { unsafe set(bytes: $0, at: slot) }
    }

    /// Fills a slot with what another row holds in it, be it that its value cannot be read.
    public mutating func copy(_ slot: Slot, _ kind: SlotKind, from row: Row) { copy(slot, to: slot, kind, from: row) }

    /// Fills a slot with what another row holds in one that holds the same kind, be it that its value cannot be read.
    public mutating func copy(_ origin: Slot, to slot: Slot, _ kind: SlotKind, from row: Row) {
        if kind.isVariable {
            if let bytes = unsafe row.bytes(origin) {
                unsafe set(bytes: bytes, at: slot)
            } else if let bytes = unsafe row.unavailableBytes(origin) {
                unsafe set(unavailable: bytes, at: slot)
            }
        } else if !row.isNull(origin) {
            store(row.rawWord(origin), at: slot)
        }
    }

    /// Ends the row that was begun last.
    ///
    /// - Precondition: A row was begun.
    public mutating func finish() -> Row {
        let padding = -(end - start) & 7
        reserve(padding)
        unsafe memset(memory + end, 0, padding)
        end += padding
        unsafe memory.storeBytes(of: UInt32(end - start), toByteOffset: start, as: UInt32.self)
        let row = unsafe Row(chunk: chunk, base: UnsafeRawPointer(memory + start))
        start = end
        return row
    }

    /// Copies a whole row, such as one in a store's memory, and returns the copy.
    ///
    /// - Parameters:
    ///   - row: The row to copy.
    ///   - version: The version of the copy; `nil` for the row's own.
    ///   - storeWord: The word for the store's use.
    public mutating func copy(_ row: Row, version: UInt32? = nil, storeWord: UInt32 = 0) -> Row {
        begin(copying: row, version: version)
        unsafe (memory + start).storeBytes(of: storeWord, toByteOffset: 20, as: UInt32.self)
        return finish()
    }

    /// Begins a row with the values of another one, of which fixed-size slots may then be set again.
    ///
    /// - Parameters:
    ///   - row: The row to copy.
    ///   - reference: The reference of the new row; `nil` for that of the other one.
    ///   - version: The version of the new row; `nil` for that of the other one.
    public mutating func begin(copying row: Row, reference: Int64? = nil, version: UInt32? = nil) {
        end = start
        reserve(row.byteCount)
        let base = unsafe memory + start
        unsafe memcpy(base, row.base, row.byteCount)
        if let reference { unsafe base.storeBytes(of: reference, toByteOffset: 8, as: Int64.self) }
        if let version { unsafe base.storeBytes(of: version, toByteOffset: 16, as: UInt32.self) }
        unsafe base.storeBytes(of: 0, toByteOffset: 20, as: UInt32.self)
        end = start + row.byteCount
    }

    /// Returns the value in a slot of the current unfinished row.
    package func value(at slot: Slot, _ kind: SlotKind) -> Value {
        unsafe Row(chunk: chunk, base: UnsafeRawPointer(memory + start)).value(slot, kind)
    }

    /// Has a slot hold no value.
    public mutating func clear(_ slot: Slot) { unsafe RowLayout.clear(slot, in: memory + start) }

    /// Sets consecutive references of rows.
    ///
    /// - Precondition: The rows, which are changed in place, have no other user.
    package static func number(_ rows: [Row], from first: Int64, sequences: [(rowIndex: Int, slot: Slot)]) {
        for (index, row) in rows.enumerated() {
            unsafe UnsafeMutableRawPointer(mutating: row.base).storeBytes(of: first + Int64(index), toByteOffset: 8, as: Int64.self)
        }
        for (index, slot) in sequences {
            unsafe RowLayout.store(
                UInt64(bitPattern: first + Int64(index)), at: slot, in: UnsafeMutableRawPointer(mutating: rows[index].base))
        }
    }

    /// Copies a row under another reference, with other references in some of its slots.
    public mutating func copy(_ row: Row, reference: Int64, replacing references: [(slot: Slot, reference: Int64)]) -> Row {
        begin(copying: row, reference: reference)
        for (slot, reference) in references { set(integer: reference, at: slot) }
        return finish()
    }

    /// Copies the bytes of a row outside any chunk, checked as by ``Row/init(in:at:model:)``.
    ///
    /// - Returns: `nil` for a malformed row.
    public mutating func copy(bytes: UnsafeRawBufferPointer, model: ManagedObjectModel) -> Row? {
        guard bytes.count >= RowLayout.headerSize, let source = bytes.baseAddress else { return nil }
        end = start
        reserve(bytes.count)
        unsafe memcpy(memory + start, source, bytes.count)
        guard unsafe Int((memory + start).load(as: UInt32.self)) == bytes.count, let row = Row(in: chunk, at: start, model: model) else {
            return nil
        }
        start += bytes.count
        end = start
        return row
    }

    /// Sets the bytes of the reason in a slot with an unavailable value.
    mutating func set(unavailable bytes: UnsafeRawBufferPointer, at slot: Slot) {
        unsafe set(bytes: bytes, at: slot)
        unsafe RowLayout.markEmpty(slot, in: memory + start)
    }

    @inline(__always)
    private mutating func store(_ word: UInt64, at slot: Slot) { unsafe RowLayout.store(word, at: slot, in: memory + start) }

    /// Reserves memory after the current row, moving it to a new chunk if this one is full.
    @inline(__always)
    private mutating func reserve(_ count: Int) { if end + count + 8 > limit { grow(by: count) } }

    @inline(never)
    private mutating func grow(by count: Int) {
        let written = end - start
        let needed = written + count
        let next = RowChunk(capacity: needed + 8 > nextChunkSize ? needed * 2 + 16 : nextChunkSize)
        nextChunkSize = min(nextChunkSize * 2, chunkSize)
        unsafe memcpy(next.base, memory + start, written)
        chunk = next
        unsafe memory = next.base
        limit = next.capacity
        start = 0
        end = written
    }
}
