/// What a class's metadata tell, as the Swift ABI lays them out without the Objective-C run time.
@safe struct ClassLayout {
    let type: AnyClass
    let metadata: UnsafeRawPointer

    init(_ type: AnyClass) {
        self.type = type
        unsafe metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    }

    /// The bytes of an instance: behind the kind, the superclass, the flags and the address point.
    var instanceSize: UInt32 { unsafe metadata.load(fromByteOffset: 24, as: UInt32.self) }

    /// The words behind the address point: the size of all without what lies before that.
    var words: Int {
        Int(unsafe metadata.load(fromByteOffset: 32, as: UInt32.self) - metadata.load(fromByteOffset: 36, as: UInt32.self))
            / MemoryLayout<UInt>.size
    }

    /// One of the words; those of a superclass are there in each class.
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
