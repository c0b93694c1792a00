import CoreData

/// A color that is archived; archives name no class that is within another type.
final class Color: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let red: Int

    init(red: Int) { self.red = red }
    init?(coder: NSCoder) { red = coder.decodeInteger(forKey: "red") }
    func encode(with coder: NSCoder) { coder.encode(red, forKey: "red") }
}
