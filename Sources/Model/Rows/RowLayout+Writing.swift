// Reads and writes slots. Safe for the address of a row whose layout has the slot, in memory without other users.
extension RowLayout {
    /// Returns whether a slot of the row at an address holds no value.
    @inlinable
    static func isNull(_ slot: Slot, in row: UnsafeRawPointer) -> Bool {
        unsafe row.load(fromByteOffset: offset(ofBitmapOfSlot: slot), as: UInt64.self) & bit(ofSlot: slot) == 0
    }

    /// Returns the word of a slot of the row at an address.
    @inlinable
    static func word(_ slot: Slot, in row: UnsafeRawPointer) -> UInt64 {
        unsafe row.load(fromByteOffset: offset(ofSlot: slot), as: UInt64.self)
    }

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
