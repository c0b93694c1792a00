public import StrataModel

/// A Swift type that is the value of a composite attribute, each of its properties an element.
///
/// ```swift
/// struct ColorScheme: CompositeValue {
///     var primary: String?
///     var secondary: String?
///     static let elements: [CompositeElement<Self>] = [.init("primary", \.primary), .init("secondary", \.secondary)]
/// }
///
/// final class Theme: ManagedObject {
///     static let colors = Key<ColorScheme>("colors")
///     var colors: ColorScheme? { get { self[Self.colors] } set { self[Self.colors] = newValue } }
/// }
/// ```
/// `@Composite` generates the elements. The model declares the attribute as `Attribute(Theme.colors)`, and queries name
/// an element by its property, `Theme.colors.primary == "red"`.
public protocol CompositeValue: Sendable, CompositePropertyValue where Composite == Self {
    /// The elements, in an order of no consequence.
    static var elements: [CompositeElement<Self>] { get }
    /// Creates a value whose elements are those that it begins with: what an element without a value leaves as it is.
    init()
}

/// What a typed property of a composite attribute is declared as: a ``CompositeValue``, or an optional of one.
public protocol CompositePropertyValue {
    /// The type without the optional.
    associatedtype Composite: CompositeValue
}

extension Optional: CompositePropertyValue where Wrapped: CompositeValue {
    public typealias Composite = Wrapped
}

extension CompositeValue {
    /// The elements as attributes of a model.
    public static var attributes: [Attribute] { elements.map(\.attribute) }

    /// Creates the value of what elements hold, by their paths behind a beginning; `nil` where none of them has a
    /// value.
    package init?(_ values: [String: Value], behind prefix: String) {
        self.init()
        var isThere = false
        for element in Self.elements where element.read(&self, values, prefix + element.name) { isThere = true }
        if !isThere { return nil }
    }

    /// Adds what the elements hold, by their paths behind a beginning; `null` for one without a value.
    package func add(to values: inout [String: Value], behind prefix: String) {
        for element in Self.elements { element.write(self, &values, prefix + element.name) }
    }

    /// Returns the name of the element that a property holds; `nil` where it holds none.
    static func name(of keyPath: AnyKeyPath) -> String? { elements.first { $0.keyPath as AnyKeyPath == keyPath }?.name }

    /// Returns the paths of all single values, behind a beginning.
    package static func paths(behind prefix: String) -> [String] { attributes.flatMap { $0.values(behind: prefix) }.map(\.path) }

    /// Returns the types of the single values that are known by one, with their paths.
    package static func types(behind prefix: String) -> [(path: String, type: any (ValueConvertible & Sendable).Type)] {
        elements.flatMap { element in element.types.map { (prefix + element.name + $0.path, $0.type) } }
    }
}

extension Key where Value: CompositeValue {
    /// The key of an element: `Theme.colors.primary`.
    ///
    /// An element named as a member of the key, `path`, is reached by ``appending(_:)-(KeyPath<Value,Element?>)``.
    public subscript<Element>(dynamicMember keyPath: KeyPath<Value, Element?>) -> Key<Element> { appending(keyPath) }

    /// The key of an element that always has a value.
    @_disfavoredOverload
    public subscript<Element>(dynamicMember keyPath: KeyPath<Value, Element>) -> Key<Element> { appending(keyPath) }

    /// Returns the key of an element, by the property that holds it.
    public func appending<Element>(_ keyPath: KeyPath<Value, Element?>) -> Key<Element> { Key<Element>(path(appending: keyPath)) }

    /// Returns the key of an element that always has a value, by the property that holds it.
    @_disfavoredOverload
    public func appending<Element>(_ keyPath: KeyPath<Value, Element>) -> Key<Element> { Key<Element>(path(appending: keyPath)) }

    private func path(appending keyPath: AnyKeyPath) -> String {
        path + "." + (Value.name(of: keyPath) ?? QueryError.placeholder(because: "\(keyPath) of \(Value.self) is no element"))
    }

    /// Met where each element has the value that the other has it with, and no value where it has none; for `nil` where no element has one.
    public static func == (lhs: Key, rhs: Value?) -> QueryPredicate { .equals(rhs, at: lhs.path) }

    /// Met where any element has another value than the other has it with; for `nil` where an element has one.
    public static func != (lhs: Key, rhs: Value?) -> QueryPredicate { !QueryPredicate.equals(rhs, at: lhs.path) }
}

extension QueryPredicate {
    /// That a composite attribute has a value, or none.
    package static func equals<C: CompositeValue>(_ value: C?, at path: String) -> QueryPredicate {
        guard let value else { return .comparison(QueryComparison(.keyPath(path), .equal, .constant(.null))) }
        var values: [String: StrataModel.Value] = [:]
        value.add(to: &values, behind: path + ".")
        return .and(
            values.sorted { $0.key < $1.key }.map { .comparison(QueryComparison(.keyPath($0.key), .equal, .constant($0.value))) })
    }
}
