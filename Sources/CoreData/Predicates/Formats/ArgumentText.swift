import Foundation

/// The text that `String(format:)` prints for an argument, with the argument.
final class ArgumentText: NSMutableString {
    let argument: Any
    private let text: NSString

    init(_ argument: Any) {
        self.argument = argument
        text = NSString(string: "\(argument)")
        super.init(capacity: 0)
    }

    override var length: Int { text.length }

    override func character(at index: Int) -> unichar { text.character(at: index) }

    // Required by the superclass, and never called.

    required init(capacity: Int) {
        (argument, text) = ("", "")
        super.init(capacity: capacity)
    }

    required init(characters: UnsafePointer<unichar>, length: Int) {
        (argument, text) = ("", "")
        unsafe super.init(characters: characters, length: length)
    }

    required convenience init(string: String) { self.init(string as Any) }
    required convenience init(stringLiteral value: StaticString) { self.init("\(value)") }
    required convenience init(unicodeScalarLiteral value: StaticString) { self.init("\(value)") }
    required convenience init(extendedGraphemeClusterLiteral value: StaticString) { self.init("\(value)") }
    required convenience init?(coder: NSCoder) { return nil }
}
