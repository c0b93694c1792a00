import Foundation

/// What a keyed archive holds, to be written as Core Data compiles models: there is nothing on this system that makes such files.
indirect enum Archived: Sendable {
    case text(String)
    case int(Int)
    case bool(Bool)
    case double(Double)
    /// An object of a class; of none for an empty name.
    case object(String, [String: Archived])
    case list([Archived])
    case dictionary([String: Archived])
    /// A dictionary in which all keys have one object.
    case shared([String], Archived)

    /// The bytes of an archive of the value: a binary property list, in which objects name each other by number.
    var archive: [UInt8] {
        var writer = Writer()
        let root = writer.add(self)
        return PropertyList.dictionary([
            "$version": .int(100_000), "$archiver": .text("NSKeyedArchiver"), "$top": .dictionary(["root": .uid(root)]),
            "$objects": .array(writer.objects),
        ]).bytes
    }

    private struct Writer {
        var objects: [PropertyList] = [.text("$null")]
        private var classes: [String: Int] = [:]

        mutating func add(_ value: Archived) -> Int {
            let number = objects.count
            objects.append(.text("$null"))
            switch value {
            case .text(let text): objects[number] = .text(text)
            case .int(let int): objects[number] = .int(int)
            case .bool(let flag): objects[number] = .bool(flag)
            case .double(let double): objects[number] = .double(double)
            case .list(let members): set(number, "NSArray", ["NS.objects": .array(members.map { .uid(add($0)) })])
            case .dictionary(let pairs):
                let keys = pairs.keys.sorted()
                set(
                    number, "NSDictionary",
                    [
                        "NS.keys": .array(keys.map { .uid(add(.text($0))) }),
                        "NS.objects": .array(keys.compactMap { pairs[$0] }.map { .uid(add($0)) }),
                    ])
            case .shared(let keys, let value):
                let object = add(value)
                set(
                    number, "NSDictionary",
                    ["NS.keys": .array(keys.map { .uid(add(.text($0))) }), "NS.objects": .array(keys.map { _ in .uid(object) })])
            case .object(let name, let fields): set(number, name, fields.mapValues { field($0) })
            }
            return number
        }

        /// Numbers and flags lie in the fields themselves.
        private mutating func field(_ value: Archived) -> PropertyList {
            switch value {
            case .int(let int): .int(int)
            case .bool(let flag): .bool(flag)
            case .double(let double): .double(double)
            default: .uid(add(value))
            }
        }

        private mutating func set(_ number: Int, _ name: String, _ fields: [String: PropertyList]) {
            if name.isEmpty {
                objects[number] = .dictionary(fields)
                return
            }
            let place = classes[name] ?? objects.count
            if classes[name] == nil {
                classes[name] = place
                objects.append(.dictionary(["$classname": .text(name), "$classes": .array([.text(name), .text("NSObject")])]))
            }
            objects[number] = .dictionary(fields.merging(["$class": .uid(place)]) { $1 })
        }
    }
}

/// A binary property list, with the object numbers that Foundation does not write on this system.
private indirect enum PropertyList {
    case text(String)
    case int(Int)
    case bool(Bool)
    case double(Double)
    case uid(Int)
    case array([PropertyList])
    case dictionary([String: PropertyList])

    var bytes: [UInt8] {
        var objects: [[UInt8]] = []
        let root = add(to: &objects)
        var (bytes, offsets) = (Array("bplist00".utf8), [Int]())
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += PropertyList.integer(offset, 4) }
        bytes += [0, 0, 0, 0, 0, 0, 4, 4] + PropertyList.integer(objects.count, 8) + PropertyList.integer(root, 8)
        return bytes + PropertyList.integer(table, 8)
    }

    private func add(to objects: inout [[UInt8]]) -> Int {
        let number = objects.count
        objects.append([])
        switch self {
        case .text(let text):
            let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
            let units = isASCII ? Array(text.utf8) : text.utf16.flatMap { PropertyList.integer(Int($0), 2) }
            objects[number] = PropertyList.head(isASCII ? 0x50 : 0x60, isASCII ? units.count : units.count / 2) + units
        case .int(let int): objects[number] = [0x13] + PropertyList.integer(int, 8)
        case .bool(let flag): objects[number] = [flag ? 9 : 8]
        case .double(let double): objects[number] = [0x23] + PropertyList.integer(Int(bitPattern: UInt(double.bitPattern)), 8)
        case .uid(let uid): objects[number] = [0x83] + PropertyList.integer(uid, 4)
        case .array(let members):
            objects[number] = PropertyList.head(0xA0, members.count) + members.flatMap { PropertyList.integer($0.add(to: &objects), 4) }
        case .dictionary(let pairs):
            let sorted = pairs.sorted { $0.key < $1.key }
            let keys = sorted.flatMap { PropertyList.integer(PropertyList.text($0.key).add(to: &objects), 4) }
            let values = sorted.flatMap { PropertyList.integer($0.value.add(to: &objects), 4) }
            objects[number] = PropertyList.head(0xD0, pairs.count) + keys + values
        }
        return number
    }

    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind | UInt8(count)] : [kind | 15, 0x12] + integer(count, 4)
    }

    private static func integer(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
    }
}
