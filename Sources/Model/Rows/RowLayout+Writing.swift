// How a slot is written, whoever writes the row.
// Safe to call with the address of a row whose layout has the slot, in memory that nobody else has.
extension RowLayout {
    /// Has a slot of the row at an address hold a word.
    @inline(__always)
    static func store(_ word: UInt64, at slot: Slot, in row: UnsafeMutableRawPointer) {
        unsafe row.storeBytes(of: word, toByteOffset: offset(ofSlot: slot), as: UInt64.self)
        let bitmap = offset(ofBitmapOfSlot: slot)
        let present = unsafe row.load(fromByteOffset: bitmap, as: UInt64.self)
        unsafe row.storeBytes(of: present | bit(ofSlot: slot), toByteOffset: bitmap, as: UInt64.self)
    }

    /// Has a slot of the row at an address hold no value, whatever its word.
    @inline(__always)
    static func markEmpty(_ slot: Slot, in row: UnsafeMutableRawPointer) {
        let bitmap = offset(ofBitmapOfSlot: slot)
        let present = unsafe row.load(fromByteOffset: bitmap, as: UInt64.self)
        unsafe row.storeBytes(of: present & ~bit(ofSlot: slot), toByteOffset: bitmap, as: UInt64.self)
    }

    /// Has a slot of the row at an address hold no value, and a word of zero.
    @inline(__always)
    static func clear(_ slot: Slot, in row: UnsafeMutableRawPointer) {
        unsafe markEmpty(slot, in: row)
        unsafe row.storeBytes(of: 0, toByteOffset: offset(ofSlot: slot), as: UInt64.self)
    }
}
