/// A class's metadata, as the Swift ABI lays them out without the Objective-C run time.
// Safe to use: metadata are never freed, and all of every class have what is read; `words` bounds the words.
@safe struct ClassLayout {
    let type: AnyClass
    let metadata: UnsafeRawPointer

    init(_ type: AnyClass) {
        self.type = type
        // A class's value is the address of its metadata.
        unsafe metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    }

    /// The bytes of an instance, after the kind, the superclass, the flags and the address point.
    var instanceSize: UInt32 { unsafe metadata.load(fromByteOffset: 24, as: UInt32.self) }

    /// The words after the address point: the total size without the part before it.
    var words: Int {
        Int(unsafe metadata.load(fromByteOffset: 32, as: UInt32.self) - metadata.load(fromByteOffset: 36, as: UInt32.self))
            / MemoryLayout<UInt>.size
    }

    /// One of the words; a subclass has those of its superclass.
    subscript(word: Int) -> UInt { unsafe metadata.load(fromByteOffset: word * MemoryLayout<UInt>.size, as: UInt.self) }

    func descends(from other: AnyClass) -> Bool {
        var ancestor: AnyClass? = type
        while let current = ancestor {
            if current == other { return true }
            ancestor = _getSuperclass(current)
        }
        return false
    }
}
