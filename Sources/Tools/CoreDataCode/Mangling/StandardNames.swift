/// The types of Swift's library that symbols abbreviate by letters after an `S`.
enum StandardNames {
    static func letters(of name: NominalName) -> String? {
        guard name.steps.count == 1, let step = name.steps.first else { return nil }
        guard name.module == "Swift" else { return nil }
        return library[step.name] ?? concurrency[step.name].map { "c" + $0 }
    }

    private static let library: [String: String] = [
        "Array": "a", "Bool": "b", "Dictionary": "D", "Double": "d", "Float": "f", "Set": "h", "DefaultIndices": "I", "Int": "i",
        "Character": "J", "ClosedRange": "N", "Range": "n", "ObjectIdentifier": "O", "UnsafePointer": "P", "UnsafeMutablePointer": "p",
        "UnsafeBufferPointer": "R", "UnsafeMutableBufferPointer": "r", "String": "S", "Substring": "s", "UInt": "u",
        "UnsafeRawPointer": "V",
        "UnsafeMutableRawPointer": "v", "UnsafeRawBufferPointer": "W", "UnsafeMutableRawBufferPointer": "w", "Optional": "q",
        "BinaryFloatingPoint": "B", "Encodable": "E", "Decodable": "e", "FloatingPoint": "F", "RandomNumberGenerator": "G", "Hashable": "H",
        "Numeric": "j", "BidirectionalCollection": "K", "RandomAccessCollection": "k", "Comparable": "L", "Collection": "l",
        "MutableCollection": "M", "RangeReplaceableCollection": "m", "Equatable": "Q", "Sequence": "T", "IteratorProtocol": "t",
        "UnsignedInteger": "U", "RangeExpression": "X", "Strideable": "x", "RawRepresentable": "Y", "StringProtocol": "y",
        "SignedInteger": "Z", "BinaryInteger": "z",
    ]

    private static let concurrency: [String: String] = [
        "Actor": "A", "CheckedContinuation": "C", "UnsafeContinuation": "c", "CancellationError": "E", "UnownedSerialExecutor": "e",
        "Executor": "F", "SerialExecutor": "f", "TaskGroup": "G", "ThrowingTaskGroup": "g", "TaskExecutor": "h",
        "AsyncIteratorProtocol": "I",
        "AsyncSequence": "i", "UnownedJob": "J", "MainActor": "M", "TaskPriority": "P", "AsyncStream": "S", "AsyncThrowingStream": "s",
        "Task": "T", "UnsafeCurrentTask": "t",
    ]
}
