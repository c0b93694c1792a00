import StrataPlatform

/// A pending row: its slots are filled in any order, and filled again.
///
/// It is a valid row at any time, and is read as one; only ``PendingRows`` change it.
// Safe: it is within its chunk, which it keeps alive.
@safe package struct PendingRow {
    /// `nil` where there is no pending row.
    private let chunk: RowChunk?
    fileprivate let base: UnsafeMutableRawPointer

    fileprivate init(_ chunk: RowChunk, _ base: UnsafeMutableRawPointer) {
        self.chunk = chunk
        unsafe self.base = unsafe base
    }

    /// Creates no pending row: it must not be read or changed.
    package init() {
        chunk = nil
        // Any address: it is never read.
        unsafe base = UnsafeMutableRawPointer(bitPattern: 8).unsafelyUnwrapped
    }

    /// Wraps a row as a pending row that is copied, and not changed.
    package init(_ row: Row) {
        chunk = row.chunk
        unsafe base = UnsafeMutableRawPointer(mutating: row.base)
    }

    /// Whether there is a pending row.
    package var exists: Bool { chunk != nil }

    /// The current row; it changes with the pending row.
    package var row: Row { unsafe Row(chunk: chunk ?? RowChunk.empty, base: UnsafeRawPointer(base)) }

    /// Returns whether some of the first 64 slots, a bit for each, all have a value.
    package func holds(slots: UInt64) -> Bool {
        unsafe base.load(fromByteOffset: RowLayout.offset(ofBitmapOfSlot: 0), as: UInt64.self) & slots == slots
    }

    /// Returns the number of references in some of the first 64 slots, a bit for each; `nil` where any is permanent.
    package func temporaryCount(slots: UInt64) -> Int? {
        var count = 0
        var rest = unsafe base.load(fromByteOffset: RowLayout.offset(ofBitmapOfSlot: 0), as: UInt64.self) & slots
        while rest != 0 {
            if Int64(bitPattern: word(Slot(rawValue: rest.trailingZeroBitCount))) >= 0 { return nil }
            count += 1
            rest &= rest - 1
        }
        return count
    }

    /// Sets the reference.
    package func name(_ reference: Int64) { unsafe base.storeBytes(of: reference, toByteOffset: 8, as: Int64.self) }

    /// Sets the reference, or the word of a number, in a slot.
    package func setReference(_ reference: Int64, at slot: Slot) { store(UInt64(bitPattern: reference), at: slot) }

    /// The current number of bytes.
    fileprivate var count: Int {
        get { unsafe Int(base.load(as: UInt32.self)) }
        nonmutating set { unsafe base.storeBytes(of: UInt32(newValue), as: UInt32.self) }
    }

    /// The number of bytes of replaced values; it is in the store's word of a finished row.
    fileprivate var waste: Int {
        get { unsafe Int(base.load(fromByteOffset: 20, as: UInt32.self)) }
        nonmutating set { unsafe base.storeBytes(of: UInt32(newValue), toByteOffset: 20, as: UInt32.self) }
    }

    private func isNull(_ slot: Slot) -> Bool { unsafe RowLayout.isNull(slot, in: base) }

    private func word(_ slot: Slot) -> UInt64 { unsafe RowLayout.word(slot, in: base) }

    fileprivate func clear(_ slot: Slot, _ kind: SlotKind) {
        if isNull(slot) { return }
        if kind.isVariable { waste += Int(word(slot) >> 32) }
        unsafe RowLayout.clear(slot, in: base)
    }

    /// Overwrites the bytes of a slot if they fit; else the slot is nil afterwards.
    fileprivate func overwrite(_ slot: Slot, _ bytes: UnsafeRawBufferPointer) -> Bool {
        if isNull(slot) { return false }
        let word = word(slot)
        let length = Int(word >> 32)
        guard bytes.count <= length else {
            clear(slot, .string)
            return false
        }
        waste += length - bytes.count
        if let source = bytes.baseAddress { unsafe memcpy(base + Int(word & 0xFFFF_FFFF), source, bytes.count) }
        store(word & 0xFFFF_FFFF | UInt64(bytes.count) << 32, at: slot)
        return true
    }

    /// Appends the bytes of a slot, if there is room.
    fileprivate func append(_ bytes: UnsafeRawBufferPointer, at slot: Slot) {
        let start = count
        if let source = bytes.baseAddress { unsafe memcpy(base + start, source, bytes.count) }
        store(UInt64(start) | UInt64(bytes.count) << 32, at: slot)
        count = start + bytes.count
    }

    /// Sets the reference and the version.
    fileprivate func finish(reference: Int64) {
        name(reference)
        unsafe base.storeBytes(of: 1, toByteOffset: 16, as: UInt32.self)
        let padding = -count & 7
        unsafe memset(base + count, 0, padding)
        count += padding
    }

    @inline(__always)
    fileprivate func store(_ word: UInt64, at slot: Slot) { unsafe RowLayout.store(word, at: slot, in: base) }
}

/// The memory of the pending rows of one context; used by one thread at a time.
///
/// The pending row that was changed last is mostly at the end of the memory, where it grows in place: an object is
/// mostly created and filled before the next one is. Any other pending row moves to the end when text is added to it.
// Safe: every write is within the pending row's memory in a chunk, which the pending row keeps alive.
@safe package final class PendingRows {
    /// The maximum length of a value in a pending row, which has to be moved cheaply.
    private static let mostBytes = 4096
    private static let (leastChunk, greatestChunk) = (1024, 64 * 1024)

    @safe @exclusivity(unchecked) private var chunk = RowChunk.empty
    /// The offset of the free memory in the chunk.
    @safe @exclusivity(unchecked) private var end = 0
    /// The pending row that ends there.
    @safe @exclusivity(unchecked) private var last: UnsafeMutableRawPointer?
    /// Grows, so that a context with few changes needs little.
    private var chunkSize = PendingRows.leastChunk

    /// What was looked up of the entity of the last object, by the scope of its ID.
    @safe @exclusivity(unchecked) private var lastShape: PendingRowShape?

    private let model: ManagedObjectModel

    /// Creates memory for pending rows of a model's rows.
    package init(_ model: ManagedObjectModel) { self.model = model }

    /// Begins a pending row without values of an object whose ID has a scope; its reference is set when it is taken.
    package func begin(_ scope: ObjectIDScope) -> PendingRow {
        let size = shape(scope).size
        let pendingRow = make(size, room: 0)
        unsafe memset(pendingRow.base, 0, size)
        unsafe pendingRow.base.storeBytes(of: UInt32(truncatingIfNeeded: scope.entityIndex.rawValue), toByteOffset: 4, as: UInt32.self)
        pendingRow.count = size
        return pendingRow
    }

    @inline(__always)
    private func shape(_ scope: ObjectIDScope) -> PendingRowShape {
        if let lastShape, lastShape.scope == scope { return lastShape }
        let shape = PendingRowShape(scope)
        lastShape = shape
        return shape
    }

    /// Returns whether the integer attribute of a slot holds a number unchanged.
    @inline(__always)
    package func holds(_ number: Int64, at slot: Slot, _ scope: ObjectIDScope) -> Bool {
        Int16(exactly: number) != nil || shape(scope).holds(number, slot)
    }

    /// Sets a slot.
    ///
    /// - Returns: Whether the pending row has the value; values of a wrong type and long ones leave the slot nil.
    package func set(_ value: Value, at slot: Slot, _ kind: SlotKind, in pendingRow: inout PendingRow) -> Bool {
        if kind == .string {
            if setText(value, at: slot, in: &pendingRow) { return true }
        } else if let word = value.word(kind) {
            pendingRow.store(word, at: slot)
            return true
        }
        var isHeld = false
        _ = unsafe value.withBytes(kind) { isHeld = unsafe hold($0, at: slot, in: &pendingRow) }
        if isHeld { return true }
        pendingRow.clear(slot, kind)
        return value.isNull
    }

    /// Sets a text without a copy of it, which every native one allows.
    ///
    /// - Returns: Whether the pending row has it.
    @inline(__always)
    private func setText(_ value: Value, at slot: Slot, in pendingRow: inout PendingRow) -> Bool {
        guard case .string(let text) = value else { return false }
        return unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe hold(UnsafeRawBufferPointer($0), at: slot, in: &pendingRow)
        } == true
    }

    /// Sets the bytes of a slot, unless they are long.
    @inline(__always)
    private func hold(_ bytes: UnsafeRawBufferPointer, at slot: Slot, in pendingRow: inout PendingRow) -> Bool {
        if bytes.count > PendingRows.mostBytes { return false }
        unsafe store(bytes, at: slot, in: &pendingRow)
        return true
    }

    /// Returns the finished row, of version 1; the pending row must not be changed any more.
    package func take(_ pendingRow: inout PendingRow, reference: Int64) -> Row {
        if pendingRow.waste > 0 { pendingRow = copy(pendingRow) }
        // Its padding is not another's memory: every pending row begins at a multiple of 8.
        last = nil
        pendingRow.finish(reference: reference)
        return pendingRow.row
    }

    /// Copies a pending row to the end of the memory, with room for more bytes.
    package func copy(_ pendingRow: PendingRow, room: Int = 0) -> PendingRow {
        let copy = make(pendingRow.count - pendingRow.waste, room: room)
        if pendingRow.waste == 0 {
            unsafe memcpy(copy.base, pendingRow.base, pendingRow.count)
            return copy
        }
        let entity = model.entities[pendingRow.row.entityIndex]
        let fixedSize = entity.layout.fixedSize
        unsafe memcpy(copy.base, pendingRow.base, fixedSize)
        copy.count = fixedSize
        copy.waste = 0
        for slot in entity.variableSlots {
            if let bytes = unsafe pendingRow.row.bytes(slot) { unsafe copy.append(bytes, at: slot) }
        }
        unsafe end = copy.base - chunk.base + copy.count
        return copy
    }

    /// Releases large memory, except what pending rows keep alive.
    package func releaseMemory() {
        guard chunk.capacity > PendingRows.leastChunk else { return }
        (chunk, chunkSize, end) = (RowChunk.empty, PendingRows.leastChunk, 0)
        last = nil
    }

    /// Allocates a pending row of a size, with room to grow.
    private func make(_ size: Int, room: Int) -> PendingRow {
        var start = (end + 7) & ~7
        if start + size + room + 8 > chunk.capacity {
            chunk = RowChunk(capacity: max(chunkSize, size + room + 8))
            chunkSize = min(chunkSize * 2, PendingRows.greatestChunk)
            start = 0
        }
        let base = unsafe chunk.base + start
        last = unsafe base
        end = start + size
        return unsafe PendingRow(chunk, base)
    }

    private func store(_ bytes: UnsafeRawBufferPointer, at slot: Slot, in pendingRow: inout PendingRow) {
        if unsafe pendingRow.overwrite(slot, bytes) { return }
        if unsafe pendingRow.base != last || end + bytes.count + 8 > chunk.capacity {
            pendingRow = copy(pendingRow, room: bytes.count)
        }
        unsafe pendingRow.append(bytes, at: slot)
        end += bytes.count
    }
}
