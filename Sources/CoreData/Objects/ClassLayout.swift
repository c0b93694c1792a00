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

    /// Returns the indexes of the words that a subclass changes by overriding members, and that a plain subclass inherits.
    ///
    /// The words of initializers may differ in each class.
    func methods(overriddenIn overriding: AnyClass, plain: AnyClass) -> [Int] {
        // After the header, which names the class, and before the words that a subclass adds.
        let header = 7
        let (plain, overriding) = (ClassLayout(plain), ClassLayout(overriding))
        return (header..<max(header, words)).filter { plain[$0] == self[$0] && overriding[$0] != self[$0] }
    }

    /// Replaces words of the class's own metadata by a subclass's; false where the system keeps them from being written.
    func replace(_ indexes: [Int], by subclass: ClassLayout) -> Bool {
        let start = unsafe UnsafeMutableRawPointer(mutating: metadata)
        let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
        let first = UInt(bitPattern: start) / page * page
        let end = UInt(bitPattern: start) + UInt(words * MemoryLayout<UInt>.size)
        guard unsafe mprotect(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), PROT_READ | PROT_WRITE) == 0 else {
            return false
        }
        for word in indexes { unsafe start.storeBytes(of: subclass[word], toByteOffset: word * MemoryLayout<UInt>.size, as: UInt.self) }
        return true
    }

    func descends(from other: AnyClass) -> Bool {
        var ancestor: AnyClass? = type
        while let current = ancestor {
            if current == other { return true }
            ancestor = _getSuperclass(current)
        }
        return false
    }
}
