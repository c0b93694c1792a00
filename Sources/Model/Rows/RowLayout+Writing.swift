// Writes to slots. Safe for the address of a row whose layout has the slot, in memory without other users.
extension RowLayout {
    /// Sets the word of a slot of the row at an address.
    @inline(__always)
    static func store(_ word: UInt64, at slot: Slot, in row: UnsafeMutableRawPointer) {
        unsafe row.storeBytes(of: word, toByteOffset: offset(ofSlot: slot), as: UInt64.self)
        let bitmap = offset(ofBitmapOfSlot: slot)
        let present = unsafe row.load(fromByteOffset: bitmap, as: UInt64.self)
        unsafe row.storeBytes(of: present | bit(ofSlot: slot), toByteOffset: bitmap, as: UInt64.self)
    }

    /// Sets a slot of the row at an address to nil, whatever its word.
    @inline(__always)
    static func markEmpty(_ slot: Slot, in row: UnsafeMutableRawPointer) {
        let bitmap = offset(ofBitmapOfSlot: slot)
        let present = unsafe row.load(fromByteOffset: bitmap, as: UInt64.self)
        unsafe row.storeBytes(of: present & ~bit(ofSlot: slot), toByteOffset: bitmap, as: UInt64.self)
    }

    /// Sets a slot of the row at an address to nil, and its word to zero.
    @inline(__always)
    static func clear(_ slot: Slot, in row: UnsafeMutableRawPointer) {
        unsafe markEmpty(slot, in: row)
        unsafe row.storeBytes(of: 0, toByteOffset: offset(ofSlot: slot), as: UInt64.self)
    }
}
