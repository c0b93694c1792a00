/// The name of a method in Core Data's interfaces: there are no methods to call by it on Linux.
///
/// `Selector("localizedStandardCompare:")` is a comparison as in Finder; `#selector` does not compile.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    let name: String

    /// Creates a selector by its name, with its colons.
    public init(_ name: String) { self.name = name }

    /// Creates a selector by its name, written as a literal.
    public init(stringLiteral value: String) { name = value }

    /// The name.
    public var description: String { name }
}

/// Returns a selector by its name, with its colons.
public func NSSelectorFromString(_ name: String) -> Selector { Selector(name) }

/// Returns the name of a selector.
public func NSStringFromSelector(_ selector: Selector) -> String { selector.name }
