/// The numbers of the ids in a file: those in Core Data's own ids, `z102`, or new ones for the ids of another program.
///
/// The first id decides: one file does not have both.
struct ObjectIDs {
    private var isNumbered: Bool?
    private var numbers: [[UInt8]: Int64] = [:]

    /// Whether the ids are those of another program.
    var areForeign: Bool { isNumbered == false }

    /// Returns the number of an id; `nil` for one that is malformed, or not of the file's kind.
    mutating func number(_ id: UnsafeRawBufferPointer) -> Int64? {
        if isNumbered == nil { isNumbered = unsafe ObjectIDs.isNumbered(id) }
        guard isNumbered == false else { return unsafe ObjectIDs.numberInside(id) }
        guard unsafe !id.isEmpty, unsafe id.allSatisfy({ $0 > 32 }) else { return nil }
        let name = unsafe Array(id)
        if let number = numbers[name] { return number }
        // Core Data calls the first object of a store z102.
        let number = Int64(102 + numbers.count)
        numbers[name] = number
        return number
    }

    /// Returns the id of a number, for a message.
    func text(_ number: Int64) -> String {
        numbers.first { $0.value == number }.map { String(decoding: $0.key.prefix(60), as: UTF8.self) } ?? "z\(number)"
    }

    private static func isNumbered(_ id: UnsafeRawBufferPointer) -> Bool {
        guard id.count > 1, unsafe id[0] == UInt8(ascii: "z") else { return false }
        return unsafe id.dropFirst().allSatisfy { (48...57).contains($0) }
    }

    private static func numberInside(_ id: UnsafeRawBufferPointer) -> Int64? {
        guard id.count > 1, unsafe id[0] == UInt8(ascii: "z") else { return nil }
        var number: Int64 = 0
        for index in 1..<id.count {
            let digit = unsafe Int64(id[index]) - 48
            guard digit >= 0, digit <= 9, number < 900_000_000_000_000_000 else { return nil }
            number = number * 10 + digit
        }
        return number
    }
}
