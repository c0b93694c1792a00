/// The class descriptors of all Swift images of the process, from their sections of types.
///
/// They are read as the Swift ABI lays them out, from constant memory of images.
enum TypeMetadata {
    /// A descriptor of a class without generic parameters.
    @safe struct ClassDescriptor: @unchecked Sendable {
        // Sendable is unchecked: the address is that of constants which are never unloaded.

        private let address: UnsafeRawPointer

        /// Creates the descriptor at an address; `nil` for other types, and generic classes.
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

        var type: AnyClass? {
            // The function takes a metadata request, zero for complete metadata, and returns them in the first result
            // register, which is that of a C function too.
            typealias Accessor = @convention(c) (UInt) -> UnsafeRawPointer?
            let function = unsafe TypeMetadata.target(of: address + Offset.accessor)
            guard let metadata = unsafe unsafeBitCast(function, to: Accessor.self)(0) else { return nil }
            // Right: the accessor of a class returns its metadata, and a metatype is their address.
            return unsafe unsafeBitCast(metadata, to: Any.Type.self) as? AnyClass
        }
    }

    private enum Flags {
        static let kind: UInt32 = 0x1F, classKind: UInt32 = 16, isGeneric: UInt32 = 0x80
    }

    private enum Offset {
        static let name = 8, accessor = 12
        /// The offsets of the types section's start and length: the seventh and the eighth word after the first two.
        static let types = 8 * MemoryLayout<UInt>.size
        static let typesLength = 9 * MemoryLayout<UInt>.size
    }

    static var imageCount: Int { sections().count }

    /// Returns the descriptors of all classes, those of the first image first.
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

    /// Returns the descriptor that a record of the section references: directly, or through a pointer.
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

    /// Returns the target of a relative pointer.
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

/// Calls back for each image in the Swift runtime's list with the addresses of its sections.
@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateImages(
    _ body: @convention(c) (_ image: UnsafeRawPointer, _ context: UnsafeMutableRawPointer?) -> Bool, _ context: UnsafeMutableRawPointer?
)
