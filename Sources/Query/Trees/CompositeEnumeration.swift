import StrataModel

/// An enumeration without raw values as SwiftData stores it: a composite attribute with one element for each case, of
/// which that of the value holds the name of the case.
///
/// ```swift
/// enum Serving: CompositeEnumeration { case hot, cold }
///
/// @Model final class Dish: ManagedObject {
///     var serving: Serving?
/// }
/// ```
/// A case has the name that it is described by, and no associated values.
public protocol CompositeEnumeration: CompositeValue, CaseIterable, Equatable {}

extension CompositeEnumeration {
    /// An optional text for each case.
    public static var elements: [CompositeElement<Self>] {
        allCases.map { CompositeElement("\($0)", \Self.[caseNamed: "\($0)"]) }
    }

    /// The first case.
    ///
    /// - Precondition: The enumeration has a case.
    public init() {
        guard let first = Self.allCases.first else { programmerError("\(Self.self) has no case") }
        self = first
    }

    /// The name of the value if it is the case of a name; setting a name sets the case.
    public subscript(caseNamed name: String) -> String? {
        get { "\(self)" == name ? name : nil }
        set { if let named = Self.allCases.first(where: { "\($0)" == newValue }) { self = named } }
    }
}
