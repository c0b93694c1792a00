import StrataQuery

/// A compound that prints, compares and copies by its parts, unlike Foundation's.
final class CompoundPredicate: NSCompoundPredicate {
    override var predicateFormat: String { PredicateText.text(of: self) }

    override var description: String { PredicateText.text(of: self) }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSCompoundPredicate else { return false }
        return other === self || TreeBuilder.shape(of: self) == TreeBuilder.shape(of: other)
    }

    override var hash: Int { TreeBuilder.shape(of: self).tree.hashValue }

    override func copy(with zone: NSZone? = nil) -> Any {
        CompoundPredicate(type: compoundPredicateType, subpredicates: subpredicates)
    }

    /// A subclass that overrides nothing.
    private final class Plain: NSCompoundPredicate {}

    /// Whether Foundation's compounds have these members, too: its own all print as `FALSEPREDICATE`, and are equal.
    ///
    /// The first use replaces the members in the method table of Foundation's class, as its initializers return no
    /// subclass. No member reads stored properties, so that the functions work with instances of either class.
    static let completesFoundations: Bool = {
        let foundations = ClassLayout(NSCompoundPredicate.self)
        let members = foundations.methods(overriddenIn: CompoundPredicate.self, plain: Plain.self)
        return members.count == 5 && foundations.replace(members, by: ClassLayout(CompoundPredicate.self))
    }()
}
