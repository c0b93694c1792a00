import StrataPlatform

/// A row that is not finished: its slots are filled in any order, and filled again.
///
/// It has the form of a row at any time, and is read as one; ``RowDrafts`` change it, as long as nobody else has it.
// Safe: it lies within its chunk, which it keeps alive.
@safe package struct RowDraft {
    fileprivate let chunk: RowChunk
    fileprivate let base: UnsafeMutableRawPointer

    fileprivate init(_ chunk: RowChunk, at offset: Int) {
        self.chunk = chunk
        unsafe base = chunk.base + offset
    }

    /// No draft: not to be read, nor to be changed.
    package init() { self.init(RowDraft.nowhere, at: 0) }

    private static let nowhere = RowChunk(capacity: 0)

    /// A row as a draft that is copied, and not changed.
    package init(_ row: Row) {
        chunk = row.chunk
        unsafe base = UnsafeMutableRawPointer(mutating: row.base)
    }

    /// Whether there is a draft.
    package var exists: Bool { chunk !== RowDraft.nowhere }

    /// The row as it is now; it changes with the draft.
    package var row: Row { unsafe Row(chunk: chunk, base: UnsafeRawPointer(base)) }

    /// Whether some of the first 64 slots all hold a value: a bit for each.
    package func holds(slots: UInt64) -> Bool {
        unsafe base.load(fromByteOffset: RowLayout.offset(ofBitmapOfSlot: 0), as: UInt64.self) & slots == slots
    }

    /// Names the row by another reference.
    package func name(_ reference: Int64) { unsafe base.storeBytes(of: reference, toByteOffset: 8, as: Int64.self) }

    /// Has a slot lead to another reference.
    package func lead(to reference: Int64, at slot: Slot) { store(UInt64(bitPattern: reference), at: slot) }

    /// The number of bytes so far.
    fileprivate var count: Int {
        get { unsafe Int(base.load(as: UInt32.self)) }
        nonmutating set { unsafe base.storeBytes(of: UInt32(newValue), as: UInt32.self) }
    }

    /// The number of bytes of values that others took the place of; it lies where a finished row has the store's word.
    fileprivate var waste: Int {
        get { unsafe Int(base.load(fromByteOffset: 20, as: UInt32.self)) }
        nonmutating set { unsafe base.storeBytes(of: UInt32(newValue), toByteOffset: 20, as: UInt32.self) }
    }

    /// Has a slot hold no value.
    fileprivate func clear(_ slot: Slot, _ kind: SlotKind) {
        if row.isNull(slot) { return }
        if kind.isVariable { waste += Int(row.rawWord(slot) >> 32) }
        unsafe RowLayout.clear(slot, in: base)
    }

    /// Puts bytes in the place of a slot's, where they fit there; else the slot holds no value afterwards.
    fileprivate func overwrite(_ slot: Slot, _ bytes: UnsafeRawBufferPointer) -> Bool {
        if row.isNull(slot) { return false }
        let word = row.rawWord(slot)
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

    /// Puts the bytes of a slot behind all others, where there is room.
    fileprivate func append(_ bytes: UnsafeRawBufferPointer, at slot: Slot) {
        let start = count
        if let source = bytes.baseAddress { unsafe memcpy(base + start, source, bytes.count) }
        store(UInt64(start) | UInt64(bytes.count) << 32, at: slot)
        count = start + bytes.count
    }

    /// Gives the row what it lacks.
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

/// The memory that the drafts of one context lie in, and who changes them; used by one thread at a time.
///
/// The draft that was changed last mostly lies at the end of the memory, where it grows in place: an object is mostly made and filled before
/// the next one is. Any other draft moves to the end when text is added to it.
// Safe: every store is within what was reserved of a chunk, which the draft keeps alive.
@safe package final class RowDrafts {
    /// Longer values are no part of a draft: it could not be moved cheaply.
    private static let mostBytes = 4096
    private static let (leastChunk, greatestChunk) = (1024, 64 * 1024)

    @safe @exclusivity(unchecked) private var chunk = RowChunk(capacity: 0)
    /// Where the memory that no draft has begins, in bytes from the start of the chunk.
    @safe @exclusivity(unchecked) private var end = 0
    /// Where the draft lies that ends there.
    @safe @exclusivity(unchecked) private var last: UnsafeMutableRawPointer?
    /// Grows, so that a context that changes little takes little.
    private var chunkSize = RowDrafts.leastChunk

    private let model: ManagedObjectModel

    /// Memory for drafts of a model's rows.
    package init(_ model: ManagedObjectModel) { self.model = model }

    /// A draft without values, whose reference is given when it is taken.
    package func begin(_ entity: EntityDescription) -> RowDraft {
        let size = entity.layout.fixedSize
        let draft = make(size, room: 0)
        unsafe memset(draft.base, 0, size)
        unsafe draft.base.storeBytes(of: UInt32(truncatingIfNeeded: entity.index.rawValue), toByteOffset: 4, as: UInt32.self)
        draft.count = size
        return draft
    }

    /// Fills a slot, or has it hold no value.
    ///
    /// - Returns: Whether the draft says what the value is; it does not hold one of another kind than the slot's, nor a long one. The slot
    ///   holds no value then.
    package func set(_ value: Value, at slot: Slot, _ kind: SlotKind, in draft: inout RowDraft) -> Bool {
        if let word = value.word(kind) {
            draft.store(word, at: slot)
            return true
        }
        var isHeld = false
        _ = unsafe value.withBytes(kind) { bytes in
            if bytes.count > RowDrafts.mostBytes { return }
            unsafe store(bytes, at: slot, in: &draft)
            isHeld = true
        }
        if isHeld { return true }
        draft.clear(slot, kind)
        return value.isNull
    }

    /// Has a slot hold no value.
    package func clear(_ slot: Slot, _ kind: SlotKind, in draft: RowDraft) { draft.clear(slot, kind) }

    /// Fills a reference or entity slot, or has it hold no value.
    package func set(_ integer: Int64?, at slot: Slot, in draft: RowDraft) {
        if let integer { draft.store(UInt64(bitPattern: integer), at: slot) } else { draft.clear(slot, .reference) }
    }

    /// The finished row, of version 1; the draft is not to be changed any more.
    package func take(_ draft: inout RowDraft, reference: Int64) -> Row {
        if draft.waste > 0 { draft = copy(draft) }
        // Its padding is not another's memory: every draft begins at a multiple of 8.
        last = nil
        draft.finish(reference: reference)
        return draft.row
    }

    /// Another draft with the same values, at the end of the memory, with room for more bytes.
    package func copy(_ draft: RowDraft, room: Int = 0) -> RowDraft {
        let copy = make(draft.count - draft.waste, room: room)
        if draft.waste == 0 {
            unsafe memcpy(copy.base, draft.base, draft.count)
            return copy
        }
        let layout = model.entities[draft.row.entityIndex].layout
        unsafe memcpy(copy.base, draft.base, layout.fixedSize)
        copy.count = layout.fixedSize
        copy.waste = 0
        for (slot, description) in layout.indexedSlots where description.kind.isVariable {
            if let bytes = unsafe draft.row.bytes(slot) { unsafe copy.append(bytes, at: slot) }
        }
        unsafe end = copy.base - chunk.base + copy.count
        return copy
    }

    /// Lets go of much memory; the drafts in it, if any are left, keep it.
    package func letGo() {
        guard chunk.capacity > RowDrafts.leastChunk else { return }
        (chunk, chunkSize, end) = (RowChunk(capacity: 0), RowDrafts.leastChunk, 0)
        last = nil
    }

    /// Memory for a draft of a size, and so many bytes more that it may grow by.
    private func make(_ size: Int, room: Int) -> RowDraft {
        var start = (end + 7) & ~7
        if start + size + room + 8 > chunk.capacity {
            chunk = RowChunk(capacity: max(chunkSize, size + room + 8))
            chunkSize = min(chunkSize * 2, RowDrafts.greatestChunk)
            start = 0
        }
        let draft = RowDraft(chunk, at: start)
        unsafe last = draft.base
        end = start + size
        return draft
    }

    private func store(_ bytes: UnsafeRawBufferPointer, at slot: Slot, in draft: inout RowDraft) {
        if unsafe draft.overwrite(slot, bytes) { return }
        if unsafe draft.base != last || end + bytes.count + 8 > chunk.capacity {
            draft = copy(draft, room: bytes.count)
        }
        unsafe draft.append(bytes, at: slot)
        end += bytes.count
    }
}
