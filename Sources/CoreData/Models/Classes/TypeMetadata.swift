/// The class descriptors of all Swift images of the process, as their section of types lists them.
///
/// They are read as the Swift ABI lays them out; all of them are memory of images, which nobody writes to.
enum TypeMetadata {
    /// A descriptor of a class without generic parameters.
    @safe struct ClassDescriptor: @unchecked Sendable {
        // Sendable is unchecked: the address is that of constants which are never unloaded.

        private let address: UnsafeRawPointer

        /// The descriptor at an address; `nil` where it is none of a class, or of a generic one.
        fileprivate init?(_ address: UnsafeRawPointer) {
            let flags = unsafe address.load(as: UInt32.self)
            guard flags & Flags.kind == Flags.classKind, flags & Flags.isGeneric == 0 else { return nil }
            unsafe self.address = unsafe address
        }

        /// The name of the class, without its module.
        var name: String {
            let name = unsafe TypeMetadata.target(of: address + Offset.name)
            return unsafe String(cString: name.assumingMemoryBound(to: CChar.self))
        }

        /// The class.
        var type: AnyClass? {
            // The function takes what is asked of the metadata, zero for all of it, and gives them in the first register of a result, in
            // which a C function's is too.
            typealias Accessor = @convention(c) (UInt) -> UnsafeRawPointer?
            let function = unsafe TypeMetadata.target(of: address + Offset.accessor)
            guard let metadata = unsafe unsafeBitCast(function, to: Accessor.self)(0) else { return nil }
            // Right: what the accessor of a class gives is its metadata, and a metatype is the address of those.
            return unsafe unsafeBitCast(metadata, to: Any.Type.self) as? AnyClass
        }
    }

    private enum Flags {
        static let kind: UInt32 = 0x1F, classKind: UInt32 = 16, isGeneric: UInt32 = 0x80
    }

    private enum Offset {
        static let name = 8, accessor = 12
        /// The start of the section of types among those of an image, and its length: the seventh and the eighth word behind the first two.
        static let types = 8 * MemoryLayout<UInt>.size
        static let typesLength = 9 * MemoryLayout<UInt>.size
    }

    /// How many images there are.
    static var imageCount: Int { sections().count }

    /// The descriptors of all classes, those of the first image first.
    static func classes() -> [ClassDescriptor] {
        var classes: [ClassDescriptor] = []
        for section in sections() {
            for offset in stride(from: 0, to: section.length - 3, by: 4) {
                guard let record = unsafe UnsafeRawPointer(bitPattern: section.start + UInt(offset)) else { continue }
                if let descriptor = unsafe descriptor(of: record).flatMap({ unsafe ClassDescriptor($0) }) { classes.append(descriptor) }
            }
        }
        return classes
    }

    /// The descriptor that a record of the section leads to: at once, or over a pointer.
    private static func descriptor(of record: UnsafeRawPointer) -> UnsafeRawPointer? {
        let value = unsafe record.load(as: Int32.self)
        guard value != 0 else { return nil }
        let target = unsafe record + Int(value & ~3)
        switch value & 3 {
        case 0: return unsafe target
        case 1: return unsafe target.load(as: UnsafeRawPointer?.self)
        default: return nil
        }
    }

    /// What a relative pointer leads to.
    private static func target(of pointer: UnsafeRawPointer) -> UnsafeRawPointer {
        unsafe pointer + Int(pointer.load(as: Int32.self))
    }

    private static func sections() -> [(start: UInt, length: Int)] {
        var sections: [(start: UInt, length: Int)] = []
        unsafe withUnsafeMutablePointer(to: &sections) { list in
            unsafe enumerateImages(
                { image, list in
                    let start = unsafe image.load(fromByteOffset: Offset.types, as: UInt.self)
                    let length = unsafe image.load(fromByteOffset: Offset.typesLength, as: Int.self)
                    unsafe list?.assumingMemoryBound(to: [(start: UInt, length: Int)].self).pointee.append((start, length))
                    return true
                }, list)
        }
        return sections
    }
}

/// The Swift run time's own list of images, which calls back for each with the places of its sections.
@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateImages(
    _ body: @convention(c) (_ image: UnsafeRawPointer, _ context: UnsafeMutableRawPointer?) -> Bool, _ context: UnsafeMutableRawPointer?
)
