/// The name of a method, as Core Data's interfaces take one: there are no methods to call by it on Linux.
///
/// `Selector("localizedStandardCompare:")` says how a sort descriptor compares; `#selector` is refused by the compiler.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    let name: String

    /// A selector by its name, with its colons.
    public init(_ name: String) { self.name = name }

    /// A selector by its name, written as a literal.
    public init(stringLiteral value: String) { name = value }

    /// The name.
    public var description: String { name }
}

/// A selector by its name, with its colons.
public func NSSelectorFromString(_ name: String) -> Selector { Selector(name) }

/// The name of a selector.
public func NSStringFromSelector(_ selector: Selector) -> String { selector.name }
