/// An object that casts to `CVarArg`, as arguments of formats do on Apple's systems: `id as CVarArg`.
///
/// `String(format:)` prints such a value for `%@` as its description; C's own functions cannot take it.
public protocol ObjectArgument: _CVarArgObject {}

extension ObjectArgument {
    /// The text of `String(format:)` for `%@`.
    public var _cVarArgObject: any CVarArg { ArgumentText(self) }
    /// The words of that text's address, of no use to C's own functions.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension Date: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension Data: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension URL: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension Decimal: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension Array: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension Set: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension Dictionary: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension NSNumber: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension NSDate: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension NSData: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension NSUUID: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension NSURL: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension NSNull: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension NSArray: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension NSSet: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension NSOrderedSet: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension NSDictionary: @retroactive CVarArg, @retroactive _CVarArgObject, ObjectArgument {}
extension NSManagedObject: CVarArg, _CVarArgObject, ObjectArgument {}
extension NSManagedObjectID: CVarArg, _CVarArgObject, ObjectArgument {}
extension NSPersistentHistoryToken: CVarArg, _CVarArgObject, ObjectArgument {}
extension NSExpression: CVarArg, _CVarArgObject, ObjectArgument {}

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
