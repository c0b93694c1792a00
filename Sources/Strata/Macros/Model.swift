#if Macros
    import StrataGraph
    import StrataQuery

    /// Declares the entity of a class of managed objects: its stored properties are attributes and relationships.
    ///
    /// ```swift
    /// @Model final class Person: ManagedObject {
    ///     @Attribute(.unique) var name: String
    ///     var age: Int?
    ///     @Relationship(deleteRule: .cascade, inverse: \Pet.owner) var pets: [Pet] = []
    ///
    ///     init(name: String) { self.name = name }
    /// }
    /// ```
    /// A non-optional property must have a value when the object is saved. `Person.name` is its key path, for queries.
    /// A default value that is a literal, or named with a leading dot, is the model's; any other is computed for each
    /// new object. A designated initialiser makes an object that `insert(_:)` adds to a context later.
    ///
    /// - Parameters:
    ///   - name: The name of the entity, the class's by default.
    ///   - isAbstract: Whether only its subclasses have objects.
    ///   - originalName: The name that the entity had in an earlier version of the model.
    ///   - configurations: The configurations of the model that the entity belongs to.
    ///   - hashModifier: Text that makes the version hash differ where nothing else does.
    @attached(member, names: named(entityDeclaration), named(setInitialValues), named(init))
    @attached(memberAttribute)
    @attached(extension, conformances: PersistentModel)
    public macro Model(
        _ name: String? = nil, isAbstract: Bool = false, originalName: String? = nil, configurations: [String] = [],
        hashModifier: String? = nil
    ) = #externalMacro(module: "StrataMacros", type: "ModelMacro")

    /// Declares a structure as the value of composite attributes: its stored properties are their elements.
    ///
    /// ```swift
    /// @Composite struct ColorScheme {
    ///     var primary: String?
    ///     @Attribute(.validation(.length(1...20))) var secondary: String?
    /// }
    ///
    /// @Model final class Theme: ManagedObject {
    ///     var colors: ColorScheme?
    /// }
    /// ```
    /// An element has a default value or is an optional. A non-optional one is required if the composite value has any.
    /// A `public` structure without initialiser gets `init()`, and one with an argument for each element.
    @attached(extension, conformances: CompositeValue, names: named(elements))
    @attached(member, names: named(init))
    public macro Composite() = #externalMacro(module: "StrataMacros", type: "CompositeMacro")

    /// Makes a property an accessor over a typed key; `@Model` applies it.
    @attached(accessor)
    @attached(peer, names: prefixed(_))
    public macro PersistedProperty() = #externalMacro(module: "StrataMacros", type: "PersistedPropertyMacro")

    /// Has a designated initialiser begin with an object without a context; `@Model` applies it.
    @attached(body)
    public macro ModelInitializer() = #externalMacro(module: "StrataMacros", type: "ModelInitializerMacro")
#endif
