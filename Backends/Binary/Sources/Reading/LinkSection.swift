import StrataStore
import Synchronization

enum LinkSection {
    private static let hasOrderInFirst: UInt64 = 1
    private static let hasOrderInSecond: UInt64 = 2

    static func read(_ bytes: UnsafeRawBufferPointer, _ mapping: SchemaMapping, _ errors: BinaryErrors) throws -> [Int: [Link]] {
        var reader = unsafe ByteReader(bytes)
        var links: [Int: [Link]] = [:]
        for index in mapping.tables.indices {
            let count: UInt64 = try reader.number()
            guard count <= UInt64(reader.left / FileLayout.linkSize) else {
                throw errors.corrupt("there are fewer links than the file says")
            }
            if count == 0 { continue }
            guard let table = mapping.tables[index] else {
                throw errors.incompatible("the model lacks a many-to-many relationship of the file")
            }
            var found: [Link] = []
            found.reserveCapacity(Int(count))
            for _ in 0..<count {
                let link = try link(&reader, errors)
                found.append(table.isSwapped ? link.swapped : link)
            }
            links[table.index] = found
        }
        try reader.end()
        return links
    }

    static func link(_ reader: inout ByteReader, _ errors: BinaryErrors) throws -> Link {
        let first: Int64 = try reader.number()
        let second: Int64 = try reader.number()
        let orderInFirst: Int64 = try reader.number()
        let orderInSecond: Int64 = try reader.number()
        let flags: UInt64 = try reader.number()
        guard first > 0, second > 0, flags <= 3 else { throw errors.corrupt("malformed link record") }
        return Link(
            first: first, second: second, orderInFirst: flags & hasOrderInFirst == 0 ? nil : OrderKey(rawValue: orderInFirst),
            orderInSecond: flags & hasOrderInSecond == 0 ? nil : OrderKey(rawValue: orderInSecond))
    }

    static func write(_ link: Link, to writer: inout ByteWriter) {
        writer.put(link.first)
        writer.put(link.second)
        writer.put(link.orderInFirst?.rawValue ?? 0)
        writer.put(link.orderInSecond?.rawValue ?? 0)
        writer.put((link.orderInFirst == nil ? 0 : hasOrderInFirst) | (link.orderInSecond == nil ? 0 : hasOrderInSecond))
    }
}

extension Link {
    /// The link in a table whose sides are swapped.
    var swapped: Link { Link(first: second, second: first, orderInFirst: orderInSecond, orderInSecond: orderInFirst) }
}

/// The links of a file, which are read when those of a table are first needed.
final class LaterLinkSection: Sendable {
    private let sections: FileSections
    private let mapping: SchemaMapping
    private let errors: BinaryErrors
    private let read = Mutex<[Int: [Link]]?>(nil)

    init(_ sections: FileSections, _ mapping: SchemaMapping, _ errors: BinaryErrors) {
        (self.sections, self.mapping, self.errors) = (sections, mapping, errors)
    }

    /// Returns the links of a table; called once for each.
    ///
    /// - Throws: `StoreError` with `corrupt`.
    func links(ofTable index: Int) throws -> [Link] {
        try read.withLock { read in
            var links: [Int: [Link]]
            if let read { links = read } else { links = try unsafe LinkSection.read(try sections.checked(.links), mapping, errors) }
            let found = links.removeValue(forKey: index) ?? []
            read = links
            return found
        }
    }
}
