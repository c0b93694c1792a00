public import StrataModel
import StrataText

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
    /// The elements, in any order.
    static var elements: [CompositeElement<Self>] { get }
    /// Creates a value with initial elements, which elements without a value keep.
    init()
}

/// The type of a composite attribute's typed property: a ``CompositeValue``, or an optional of one.
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

    /// Creates the value from the elements' values, by their paths with a prefix; fails where none has a value.
    package init?(_ values: [String: Value], behind prefix: String) {
        self.init()
        var isThere = false
        for element in Self.elements where element.read(&self, values, prefix + element.name) { isThere = true }
        if !isThere { return nil }
    }

    /// Adds the elements' values, by their paths with a prefix; `null` for one without a value; throws where one cannot
    /// be encoded.
    package func add(to values: inout [String: Value], behind prefix: String) throws {
        for element in Self.elements { try element.write(self, &values, prefix + element.name) }
    }

    /// Adds the forms in which stores may have the elements' values, by their paths with a prefix; throws `QueryError`
    /// for a value that cannot be queried.
    func add(to forms: inout [String: [Value]], behind prefix: String) throws {
        for element in Self.elements { try element.add(self, to: &forms, prefix + element.name) }
    }

    /// Returns the name of a property's element; `nil` where it is none.
    static func name(of keyPath: AnyKeyPath) -> String? { elements.first { $0.keyPath as AnyKeyPath == keyPath }?.name }

    static func paths(behind prefix: String) -> [String] { types(behind: prefix).map(\.path) }

    /// The names of the elements, with the key paths of their properties.
    package static var keyPaths: [(name: String, keyPath: AnyKeyPath)] { elements.map { ($0.name, $0.keyPath) } }

    /// Returns the types of the single values, with their paths and the transformers of those that are only `Codable`.
    package static func types(behind prefix: String) -> [(path: String, type: any Sendable.Type, transformer: ValueTransformer?)] {
        elementTypes(behind: prefix).map { ($0.path, $0.type, $0.transformer) }
    }

    static func elementTypes(behind prefix: String) -> [CompositeElementType] {
        elements.flatMap { element in element.types.map { $0.behind(prefix + element.name) } }
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

    /// Met where all elements are equal, or both nil; for `nil` where no element has a value.
    public static func == (lhs: Key, rhs: Value?) -> QueryPredicate { .equals(rhs, at: lhs.path) }

    /// Met where any element differs; for `nil` where an element has a value.
    public static func != (lhs: Key, rhs: Value?) -> QueryPredicate { !QueryPredicate.equals(rhs, at: lhs.path) }
}

extension QueryPredicate {
    /// Returns the condition that a composite attribute has a value, or none.
    fileprivate static func equals<C: CompositeValue>(_ value: C?, at path: String) -> QueryPredicate {
        guard let value else { return .comparison(QueryComparison(.keyPath(path), .equal, .constant(.null))) }
        var forms: [String: [StrataModel.Value]] = [:]
        do { try value.add(to: &forms, behind: path + ".") } catch {
            let reason = (error as? QueryError)?.message ?? "\(error)"
            return .comparison(QueryComparison(.keyPath(QueryError.placeholder(because: reason)), .equal, .constant(.null)))
        }
        return .and(
            forms.sortedByKey().map { path, forms in
                forms.count == 1
                    ? .comparison(QueryComparison(.keyPath(path), .equal, .constant(forms[0])))
                    : .comparison(QueryComparison(.keyPath(path), .isIn, .constant(.list(forms))))
            })
    }
}
